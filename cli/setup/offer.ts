// The wizard, offered where xz is started without a usable model. Light: nothing of the wizard is loaded where there is one.
import { resolveModel } from '../../store/config/resolve.ts';
import { XzError } from '../../store/errors.ts';
import type { App } from '../compose.ts';

/** True when a person can be asked. */
export function atTerminal(app: App): boolean {
  return app.print.terminal && process.stdin.isTTY === true && !app.print.json;
}

/**
 * At a terminal where nothing names a usable model: the wizard. Resolves to true when there is a model to start with, and
 * to false when the person would not start; without a terminal the `not_configured` error stands.
 */
export async function offerSetup(app: App): Promise<boolean> {
  try {
    resolveModel(await app.config(), 'main');
    return true;
  } catch (error) {
    if (!(error instanceof XzError) || error.code !== 'not_configured' || !atTerminal(app)) throw error;
  }
  const { setUp } = await import('./setup.ts');
  if ((await setUp(app)) !== 'done') return false;
  app.reloadConfig();
  return true;
}
