// Where the mail of an agent lies: `.Mailbox/<Agent>/{tmp,new,cur,dead}`. A name is checked before it becomes a path.
import { join } from 'node:path';
import { XzError } from '../store/errors.ts';
import { ensureFolder } from '../store/files.ts';
import { isMailboxName } from '../store/ids.ts';
import { ensureStore, type Layout } from '../store/layout.ts';

/** The three places where a message may be seen; `tmp` holds only what is still being written. */
export type BoxName = 'new' | 'cur' | 'dead';

export interface BoxPaths {
  readonly root: string;
  readonly tmp: string;
  readonly new: string;
  readonly cur: string;
  readonly dead: string;
  /** The roster entry. */
  readonly entry: string;
}

/** The folders of an agent's box. Throws `bad_input` for a name that may not be one, before anything is made. */
export function boxPaths(layout: Layout, agent: string): BoxPaths {
  if (!isMailboxName(agent)) throw new XzError('bad_input', `"${agent.slice(0, 60)}" is not the name of an agent`);
  const root = join(layout.mailbox, agent);
  return {
    root,
    tmp: join(root, 'tmp'),
    new: join(root, 'new'),
    cur: join(root, 'cur'),
    dead: join(root, 'dead'),
    entry: join(root, 'agent.json'),
  };
}

/** Makes the folders of a box; what is there stays. */
export function makeBox(layout: Layout, agent: string): BoxPaths {
  const paths = boxPaths(layout, agent);
  ensureStore(layout, 'mailbox');
  for (const folder of [paths.tmp, paths.new, paths.cur, paths.dead]) ensureFolder(folder);
  return paths;
}
