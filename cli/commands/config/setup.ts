// `xz config setup [--reset]`: the wizard, when there is something to set up or when asked to run again.
import { inspectConfig } from '../../../store/config/config.ts';
import { resolveModel } from '../../../store/config/resolve.ts';
import { XzError } from '../../../store/errors.ts';
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
  if (!config.setup.completed) return false;
  try {
    resolveModel(config, 'main');
    return true;
  } catch (error) {
    // Completed once, but the login or key is gone: that is what the wizard is for.
    if (error instanceof XzError) return false;
    throw error;
  }
}
