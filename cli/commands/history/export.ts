// `xz history export ID`: a whole conversation as Markdown, or as JSON with --json.
import { isoWithOffset } from '../../../store/clock.ts';
import { browseMessages } from '../../../store/sessions/browse.ts';
import type { RunCommand } from '../../table/command.ts';
import { type ShownMessage, shownMessage } from './message.ts';
import { openedDatabase, sessionNamed } from './open.ts';

export const runHistoryExport: RunCommand = async (app, call) => {
  const db = await openedDatabase(app);
  const { id, title } = sessionNamed(db, app, call.args.id ?? '');
  const { items, total } = db === undefined ? { items: [], total: 0 } : browseMessages(db, id, { limit: 0, offset: 0 });
  const messages = items.map(shownMessage);
  if (app.print.json) {
    app.print.value({ id, title, exportedAt: isoWithOffset(app.clock.now()), items: messages, total });
    return 0;
  }
  app.print.line(`# ${title.replace(/\s+/g, ' ')}\n\n${id} · ${total}\n`);
  for (const message of messages) app.print.raw(markdownOf(message));
  return 0;
};

function markdownOf(message: ShownMessage): string {
  const who = message.name === undefined ? message.role : `${message.role} ${message.name}${message.isError === true ? ' ✗' : ''}`;
  const body = message.role === 'tool' ? fenced(message.content, '') : message.content;
  const calls = (message.toolCalls ?? []).map(
    (call) => `\`${call.name}\`\n\n${fenced(JSON.stringify(call.arguments, undefined, 2), 'json')}`,
  );
  return `${[`## ${message.timestamp} ${who}`, body, ...calls].filter((part) => part !== '').join('\n\n')}\n\n`;
}

/** A code fence longer than any inside, so that what a tool printed cannot end it. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...(text.match(/`{3,}/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
