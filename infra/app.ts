import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { configuredFunctions } from './build/configured-functions.ts';
import { type StageSettings, stages } from './config.ts';
import { AssayStage } from './stage.ts';

const app = new App();
/** What `npm run deploy` has asked people and AWS, where the configuration leaves it open. */
const asked = (name: 'alarmEmail' | 'gpuZones'): string | undefined => {
  const value: unknown = app.node.tryGetContext(name);
  return typeof value === 'string' && value !== 'none' ? value : undefined;
};
const zones = asked('gpuZones')?.split(',');
for (const [name, settings] of Object.entries<StageSettings>(stages)) {
  const alarmEmail = settings.alarmEmail ?? asked('alarmEmail');
  const gpu = settings.gpu && { zones, ...settings.gpu };
  const functions = settings.functions ?? configuredFunctions();
  new AssayStage(app, name, { ...settings, gpu, functions, alarmEmail });
}
Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
app.synth();
