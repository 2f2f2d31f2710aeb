// The demo in the full screen: the written model's team at work before the person's eyes, and theirs to look into.
import type { App } from '../compose.ts';
import type { CommandCall } from '../table/command.ts';
import { runTalk } from '../talk.ts';
import { PROMPT } from './script.ts';
import { setStage } from './stage.ts';

/** Plays the demo until the person leaves; nothing of it stays. */
export async function runScreenDemo(app: App, call: CommandCall): Promise<number> {
  const stage = setStage(app);
  try {
    return await runTalk(stage.app, call, PROMPT);
  } finally {
    stage.strike();
  }
}
