// `xz config setup [--reset]`: the wizard, when there is something to set up or when asked to run again.
import { inspectConfig } from '../../../store/config/config.ts';
import { namesModel } from '../../../store/config/resolve.ts';
import type { App } from '../../compose.ts';
import { setUp } from '../../setup/setup.ts';
import type { RunCommand } from '../../table/command.ts';

export const runConfigSetup: RunCommand = async (app, call) => {
  if (call.options.reset !== true && (await isSetUp(app))) {
    app.print.line(app.text.config.setupDone(app.home().config));
    return 0;
  }
  return (await setUp(app)) === 'cancelled' ? 130 : 0;
};

async function isSetUp(app: App): Promise<boolean> {
  const { config } = await inspectConfig(await app.configInput());
  // Completed once, but the login or key is gone: that is what the wizard is for.
  return config.setup.completed && namesModel(config);
}
