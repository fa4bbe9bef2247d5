import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { type StageSettings, stages } from './config.ts';
import { AssayStage } from './stage.ts';

const app = new App();
// Asked for by `npm run deploy`, where the configuration names nobody.
const alarmEmail: unknown = app.node.tryGetContext('alarmEmail');
const heard = typeof alarmEmail === 'string' && alarmEmail !== 'none' ? { alarmEmail } : {};
for (const [name, settings] of Object.entries<StageSettings>(stages))
  new AssayStage(app, name, { ...settings, ...heard });
Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
app.synth();
