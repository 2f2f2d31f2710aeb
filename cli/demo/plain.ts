// The demo as a readable account on stdout: who did what, claimed beside observed, what landed. The exit code is the
// verdict of the merged tree's own tests.
import { spawnSync } from 'node:child_process';
import type { LeadEvent } from '../../lead/events.ts';
import { observed } from '../../lead/team/render.ts';
import { finishTeam } from '../commands/once/team.ts';
import type { App } from '../compose.ts';
import { openLead } from '../open-lead.ts';
import { PROMPT } from './script.ts';
import { setStage } from './stage.ts';

/** Plays the demo; resolves to 0 only when the tests pass on what has landed. */
export async function runPlainDemo(app: App): Promise<number> {
  const { print, text } = app;
  const stage = setStage(app);
  try {
    print.line(text.demo.opening(stage.folder));
    print.line(text.demo.before(testLines(stage.folder, stage.app).summary));
    print.line();
    const opened = await openLead(stage.app, { title: PROMPT, attended: false, mode: 'yolo' });
    const started = app.clock.now();
    const line = (who: string, words: string) =>
      print.line(`${((app.clock.now() - started) / 1000).toFixed(1).padStart(5)} s  ${who.padEnd(5)} ${words}`);
    const unlisten = opened.listen((event) => tell(line, event));
    const never = { interrupted: () => false, arrived: new Promise<void>(() => {}), release: () => {} };
    const first = await opened.lead.run({ kind: 'user', text: PROMPT });
    const end = await finishTeam(opened, first, never);
    unlisten();
    await opened.close();
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

function tell(line: (who: string, words: string) => void, event: LeadEvent): void {
  switch (event.type) {
    case 'tool_start':
      line(event.agent, `⚙ ${event.name}(${shortArgs(event.args)})`);
      return;
    case 'tool_end':
      if (!event.ok || (event.exitCode ?? 0) !== 0)
        line(event.agent, `  ✗ ${event.exitCode === undefined ? (event.preview.split('\n')[0] ?? '') : `exit ${event.exitCode}`}`);
      return;
    case 'turn_end':
      if (event.agent === 'Lead' && event.text !== '') line(event.agent, event.text);
      return;
    case 'mail':
      if (event.mailType === 'review') line(event.from, `⇄ ${event.from} → ${event.to}: sent back`);
      if (event.evidence !== undefined) {
        line(event.from, `⇄ ${event.from} → Lead: result of ${event.subject}`);
        line('', `    claimed   "${event.claim ?? ''}"`);
        line('', `    observed  ${observed(event.evidence, false)}`);
      }
      return;
    case 'merge':
      if (event.outcome !== 'queued')
        line(
          'gate',
          `⇄ merge ${event.name}: ${event.outcome}${event.commit === undefined ? '' : ` as ${event.commit.slice(0, 10)}`} (gate ${event.gate})`,
        );
      return;
    case 'error':
      line(event.agent, `! ${event.text}`);
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
