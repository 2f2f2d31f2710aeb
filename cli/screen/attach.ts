// A conversation on a screen: what happens in it becomes events, what the person asks for reaches it, and the panels
// follow the stores.
import type { Conversation } from '../../lead/conversation.ts';
import { errorFacts } from '../../store/errors.ts';
import type { App } from '../compose.ts';
import type { StorePorts } from '../slash/ports.ts';
import { slashHints } from '../slash/registry.ts';
import { effectRunner } from './effects.ts';
import type { Loop } from './loop.ts';
import { changesStores, storeSnapshots } from './snapshots.ts';
import type { ConversationEffect } from './state.ts';

export interface AttachInput {
  readonly app: App;
  readonly loop: Loop;
  readonly conversation: Conversation;
  readonly stores: StorePorts;
  /** Runs `fn` with the terminal given back to the person, and takes it again. */
  readonly outside: <T>(fn: () => Promise<T>) => Promise<T>;
  readonly exit: (code: number) => void;
}

export interface Attached {
  readonly execute: (effect: ConversationEffect) => void;
  ticked(busy: boolean): void;
  detach(): void;
}

/** Panels follow what happens, but a burst of events reads the stores once. */
const SNAPSHOT_MS = 120;
const SETTLE_MS = 50;

/** Shows the conversation from its stored rows on, until it is detached. */
export function attachConversation(input: AttachInput): Attached {
  const { app, loop, conversation, stores } = input;
  const { clock } = app;
  const { dispatch } = loop;
  const fail = (error: unknown) => dispatch({ type: 'failed', ...app.text.errors.say(errorFacts(error)), at: clock.now() });
  const snapshots = storeSnapshots(conversation, stores, dispatch, fail);
  let snapshotPending = false;
  const wantSnapshot = () => {
    if (snapshotPending) return;
    snapshotPending = true;
    clock.after(SNAPSHOT_MS, () => {
      snapshotPending = false;
      if (!loop.stopped()) snapshots.refresh();
    });
  };
  const refresh = () => {
    if (loop.stopped()) return;
    dispatch({
      ...{ type: 'facts', model: conversation.model(), mode: conversation.mode(), running: conversation.running() },
      ...{ queued: conversation.queued(), questions: conversation.questions() },
    });
    wantSnapshot();
  };
  const commands = () => dispatch({ type: 'commands', items: slashHints(app.text, stores) });
  dispatch({ type: 'session', id: conversation.session(), rows: conversation.rows() });
  commands();
  refresh();
  const detach = conversation.listen((event) => {
    const said = event.type === 'error' ? { ...event, ...app.text.errors.say(event) } : event;
    dispatch({ type: 'lead', event: said, at: clock.now() });
    if (event.type === 'turn_start' || event.type === 'question') refresh();
    // The turn says that it ends before it has ended: asked at once, the conversation would still call itself running.
    if (event.type === 'turn_end') clock.after(SETTLE_MS, refresh);
    if (changesStores(event)) wantSnapshot();
  });
  return {
    execute: effectRunner({
      ...{ app, conversation, stores, dispatch, refresh, commands, outside: input.outside, exit: input.exit },
      memoryChanged: () => snapshots.refresh(),
    }),
    ticked(busy) {
      if (loop.state().running) refresh();
      else if (!busy) wantSnapshot();
    },
    detach,
  };
}
