// A conversation for tests of the screen: the test says what happens, and what was asked of it is kept for the test.
import type { Conversation, TeammateStatus } from '../../lead/conversation.ts';
import type { EmitLeadEvent, LeadEvent, Question } from '../../lead/events.ts';
import type { MessageRow } from '../../store/sessions/sessions.ts';
import { createMessages } from './message-rows.ts';

export interface ScriptedConversation extends Conversation {
  /** What was asked of the conversation, in order, such as `submit: hello`. */
  readonly asked: string[];
  emit(event: LeadEvent): void;
  setRunning(running: boolean): void;
  readonly queue: string[];
  team: Conversation['team'] & { set(on: boolean, status: readonly TeammateStatus[]): void };
  setRows(rows: readonly MessageRow[]): void;
}

export function scriptedConversation(): ScriptedConversation {
  const listeners = new Set<EmitLeadEvent>();
  const asked: string[] = [];
  const queue: string[] = [];
  const questions: Question[] = [];
  let running = false;
  let memory = true;
  let teamOn = false;
  let status: readonly TeammateStatus[] = [];
  let mode: ReturnType<Conversation['mode']> = 'ask';
  let rows: readonly MessageRow[] = [];
  let session = '2026-03-01-abc123';
  const note = async (what: string): Promise<void> => void asked.push(what);
  return {
    asked,
    queue,
    emit(event) {
      if (event.type === 'question') {
        const at = questions.findIndex((one) => one.id === event.question.id);
        if (event.status === 'asked') questions.push(event.question);
        else if (at >= 0) questions.splice(at, 1);
      }
      for (const listener of listeners) listener(event);
    },
    setRunning: (value) => {
      running = value;
    },
    setRows: (value) => {
      rows = value;
    },
    session: () => session,
    model: () => ({ provider: 'custom', model: 'scripted', host: '127.0.0.1', window: 262_144, price: 'subscription' }),
    mode: () => mode,
    setMode: (next) => {
      mode = next;
      asked.push(`mode: ${next}`);
    },
    setModel: (model) => note(`model: ${model}`),
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    submit: (text) => {
      asked.push(`submit: ${text}`);
      if (running) queue.push(text);
    },
    wake: async () => ({ stopReason: 'done', text: '' }),
    queued: () => [...queue],
    takeBack: () => queue.pop(),
    running: () => running,
    interrupt: async () => {
      asked.push('interrupt');
      running = false;
    },
    questions: () => [...questions],
    answer: (id, verdict) => {
      asked.push(`answer: ${id} ${verdict}`);
      const at = questions.findIndex((one) => one.id === id);
      if (at >= 0) questions.splice(at, 1);
    },
    rows: () => rows,
    compact: async () => 'compacted',
    startNew: async () => {
      session = '2026-03-01-new000';
      rows = [];
      asked.push('new');
    },
    resume: async (id) => {
      session = id;
      asked.push(`resume: ${id}`);
    },
    memoryOn: () => memory,
    setMemory: (on) => {
      memory = on;
      asked.push(`memory: ${on}`);
    },
    cost: () => [
      { agent: 'Lead', tokens: 41_200, costUsd: null },
      { agent: 'ann', tokens: 12_100, costUsd: null },
    ],
    todos: () => [{ id: 1, text: 'read the parser', state: 'completed' }],
    team: {
      set: (on, next) => {
        teamOn = on;
        status = next;
      },
      enabled: () => teamOn,
      status: () => status,
      standings: async () => status.map((one) => ({ ...one, unfinished: false, kept: undefined })),
      on: async () => {
        teamOn = true;
        asked.push('team on');
      },
      off: async () => {
        teamOn = false;
        asked.push('team off');
        return [];
      },
      message: (name, text) => note(`message ${name}: ${text}`),
      interrupt: (name) => note(`interrupt ${name}`),
      release: async (name) => {
        asked.push(`release ${name}`);
        return `released ${name}`;
      },
      merge: async (name) => {
        asked.push(`merge ${name}`);
        return `merged ${name}`;
      },
      transcript: () => createMessages('ann', [{ role: 'user', text: 'write the lexer' }]),
    },
    idle: async () => {},
    close: () => note('close'),
  };
}
