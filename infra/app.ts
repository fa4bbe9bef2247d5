import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { stages } from './config.ts';
import { AssayStage } from './stage.ts';

const app = new App();
for (const [name, settings] of Object.entries(stages)) new AssayStage(app, name, settings);
Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
app.synth();
