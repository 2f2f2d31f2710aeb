// The demo as a readable account on stdout: who did what, claimed beside observed, what landed. The exit code is the
// verdict of the merged tree's own tests.
import { spawnSync } from 'node:child_process';
import type { LeadEvent } from '../../lead/events.ts';
import { observed } from '../../lead/team/render.ts';
import { onSignals } from '../commands/once/signals.ts';
import { finishTeam } from '../commands/once/team.ts';
import type { App } from '../compose.ts';
import { onStopSignal } from '../daemon/signals.ts';
import { openLead } from '../open-lead.ts';
import { padded, width } from '../print/columns.ts';
import type { Text } from '../text/text.ts';
import { PROMPT } from './script.ts';
import { setStage } from './stage.ts';

const INTERRUPTED = 130;

/** Plays the demo; resolves to 0 only when the tests pass on what has landed, to 130 when it was interrupted. */
export async function runPlainDemo(app: App): Promise<number> {
  const { print, text } = app;
  // Leaving in an orderly way takes the stage along.
  const forget = onStopSignal(() => process.exit(INTERRUPTED));
  const stage = setStage(app);
  try {
    print.line(text.demo.opening(stage.folder));
    print.line(text.demo.before(testLines(stage.folder, stage.app).summary));
    print.line();
    const opened = await openLead(stage.app, { title: PROMPT, attended: false, mode: 'yolo' });
    const signals = onSignals(opened);
    forget();
    const started = app.clock.now();
    const line = (who: string, words: string) =>
      print.line(`${((app.clock.now() - started) / 1000).toFixed(1).padStart(5)} s  ${who.padEnd(5)} ${words}`);
    const unlisten = opened.listen((event) => tell(line, text, event));
    const first = await opened.lead.run({ kind: 'user', text: PROMPT });
    const end = await finishTeam(opened, first, signals);
    unlisten();
    await opened.close();
    signals.release();
    if (signals.interrupted()) return INTERRUPTED;
    print.line();
    print.line(text.demo.answer(end.outcome?.text ?? ''));
    const after = testLines(stage.folder, stage.app);
    print.line(text.demo.after(after.summary));
    const landed = end.landing?.length === 0;
    print.line(landed && after.passed ? text.demo.good : text.demo.bad);
    return landed && after.passed ? 0 : 1;
  } finally {
    stage.strike();
  }
}

function tell(line: (who: string, words: string) => void, text: Text, event: LeadEvent): void {
  const words = text.screen;
  const wide = Math.max(width(words.claimed), width(words.observed));
  switch (event.type) {
    case 'tool_start':
      line(event.agent, `⚙ ${event.name}(${shortArgs(event.args)})`);
      return;
    case 'tool_end':
      if (!event.ok || (event.exitCode ?? 0) !== 0)
        line(event.agent, `  ✗ ${event.exitCode === undefined ? (event.preview.split('\n')[0] ?? '') : words.exit(event.exitCode)}`);
      return;
    case 'turn_end':
      if (event.agent === 'Lead' && event.text !== '') line(event.agent, event.text);
      return;
    case 'mail':
      if (event.mailType === 'review') line(event.from, `⇄ ${event.from} → ${event.to}: ${text.demo.sentBack}`);
      if (event.evidence !== undefined) {
        line(event.from, `⇄ ${event.from} → Lead: ${text.demo.resultOf(event.subject)}`);
        line('', `    ${padded(words.claimed, wide)}  "${event.claim ?? ''}"`);
        line('', `    ${padded(words.observed, wide)}  ${observed(event.evidence, false)}`);
      }
      return;
    case 'merge':
      if (event.outcome !== 'queued')
        line('gate', `⇄ merge ${event.name}: ${text.demo.outcome(event.outcome, event.commit?.slice(0, 10))} (${words.gate(event.gate)})`);
      return;
    case 'error':
      line(event.agent, `! ${text.errors.say(event).text}`);
      return;
    default:
      return;
  }
}

function shortArgs(args: Readonly<Record<string, unknown>>): string {
  return Object.entries(args)
    .filter(([name]) => !['content', 'description', 'old_text', 'new_text'].includes(name))
    .map(([name, value]) => `${name}: ${String(value).slice(0, 60)}`)
    .join(', ');
}

/** Runs the project's tests: how many pass and fail, as the runner prints it. */
function testLines(folder: string, { env }: App): { readonly summary: string; readonly passed: boolean } {
  const run = spawnSync(process.execPath, ['--test'], { cwd: folder, env: { ...env }, encoding: 'utf8' });
  const count = (word: string) => Number(new RegExp(`^. ${word} (\\d+)$`, 'm').exec(run.stdout)?.[1] ?? 0);
  // A runner that ran no test proves nothing, whatever it exits with.
  return { summary: `node --test: ${count('pass')} pass, ${count('fail')} fail`, passed: run.status === 0 && count('pass') > 0 };
}
