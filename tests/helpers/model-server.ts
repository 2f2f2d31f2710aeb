// A scripted model behind a real HTTP port on loopback: OpenAI chat completions, streamed and whole, Anthropic messages
// streamed, embeddings, models. Every request is kept, so that a test reads what was really sent.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { anthropicStream, embeddings, openAiStream, openAiWhole, type Reply, type WirePiece } from './model-reply.ts';

/** A message as it was sent, in either API's form; tests look only at these fields. */
export interface SentMessage {
  readonly role: string;
  readonly content?: string | ReadonlyArray<Readonly<Record<string, unknown>>> | null;
  readonly tool_calls?: ReadonlyArray<{ readonly id: string; readonly function: { readonly name: string; readonly arguments: string } }>;
  readonly tool_call_id?: string;
  readonly reasoning_content?: string;
}

export interface SentBody {
  readonly model: string;
  readonly messages: readonly SentMessage[];
  readonly stream?: boolean;
  readonly temperature?: number;
  readonly max_tokens?: number;
  readonly max_completion_tokens?: number;
  readonly system?: unknown;
  readonly tools?: ReadonlyArray<Readonly<Record<string, unknown>>>;
  readonly [field: string]: unknown;
}

export interface ServedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: SentBody;
  /** What was answered. */
  reply?: Reply;
  /** True when the client closed the connection before the answer was complete. */
  closed: boolean;
}

export type Respond = (body: SentBody, n: number, request: ServedRequest) => Reply | Promise<Reply> | undefined;

export interface ModelServer {
  /** Base URL for `openai` and `custom`: ends in `/v1`. */
  readonly url: string;
  /** Base URL for `anthropic`: without `/v1`. */
  readonly anthropicUrl: string;
  /** Completion requests, in order of arrival. */
  readonly requests: ServedRequest[];
  readonly embeddingRequests: ServedRequest[];
  /** The most completion requests that were in flight at once. */
  peak(): number;
  inFlight(): number;
  stop(): Promise<void>;
}

/**
 * XZ_* variables that make the built program use the server as its `custom` provider. Memory is off: its own requests
 * would be counted among those a test looks at.
 */
export function modelEnv(server: Pick<ModelServer, 'url'>): Record<string, string> {
  return { XZ_MEMORY_ENABLED: 'false', XZ_PROVIDER: 'custom', XZ_MODEL: 'scripted', XZ_BASE_URL: server.url, XZ_API_KEY: 'test-key' };
}

/** A `respond` that plays the replies in order; when they run out it answers with the last one's text, or "ok". */
export function inOrder(...replies: readonly Reply[]): Respond {
  return (_body, n) => replies[n] ?? { text: replies.at(-1)?.text ?? 'ok' };
}

/** The text of a message, whatever its form. */
export function sentText(message: SentMessage | undefined): string {
  if (typeof message?.content === 'string') return message.content;
  return (message?.content ?? []).map((part) => (typeof part.text === 'string' ? part.text : '')).join('\n');
}

/** The names of the tools that a request offered. */
export function offeredTools(body: SentBody): string[] {
  return (body.tools ?? []).flatMap((tool) => {
    const named = typeof tool.function === 'object' && tool.function !== null ? tool.function : tool;
    return 'name' in named && typeof named.name === 'string' ? [named.name] : [];
  });
}

/** What is wrong with the pairing of calls and results in an OpenAI request, or "" when each call has exactly one result straight after it. */
export function pairingFault(body: SentBody): string {
  const { messages } = body;
  for (const [at, message] of messages.entries()) {
    const wanted = (message.tool_calls ?? []).map((call) => call.id);
    if (wanted.length === 0) {
      const before = messages[at - 1];
      if (message.role === 'tool' && before?.role !== 'tool' && before?.tool_calls === undefined) return `orphan result at ${at}`;
      continue;
    }
    const results = messages.slice(at + 1, at + 1 + wanted.length);
    if (results.length < wanted.length || results.some(({ role }) => role !== 'tool'))
      return `message ${at}: a call has no result straight after it`;
    if (results.some(({ tool_call_id }, place) => tool_call_id !== wanted[place]))
      return `message ${at}: results are not in the order of the calls`;
    if (new Set(wanted).size !== wanted.length) return `message ${at}: two calls with one id`;
    if (messages[at + 1 + wanted.length]?.role === 'tool') return `message ${at}: more results than calls`;
  }
  return '';
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Starts the server; it is stopped when the running test ends, or by `stop()` when started outside a test. */
export async function startModelServer(respond: Respond = () => ({ text: 'ok' })): Promise<ModelServer> {
  const requests: ServedRequest[] = [];
  const embeddingRequests: ServedRequest[] = [];
  let inFlight = 0;
  let peak = 0;
  const server = createServer(async (req, res) => {
    let raw = '';
    req.setEncoding('utf8');
    for await (const piece of req) raw += piece;
    const path = new URL(req.url ?? '/', 'http://localhost').pathname;
    if (path.endsWith('/models')) return sendJson(res, { data: [{ id: 'scripted', object: 'model' }] });
    const served: ServedRequest = { path, headers: req.headers, body: raw === '' ? {} : JSON.parse(raw), closed: false };
    res.on('close', () => (served.closed = !res.writableFinished));
    if (path.endsWith('/embeddings')) {
      embeddingRequests.push(served);
      return sendEmbeddings(res, served.body);
    }
    if (!path.endsWith('/chat/completions') && !path.endsWith('/messages'))
      return sendJson(res, { error: { message: `no route ${path}` } }, 404);
    requests.push(served);
    peak = Math.max(peak, ++inFlight);
    try {
      const reply = (await respond(served.body, requests.length - 1, served)) ?? { text: 'ok' };
      served.reply = reply;
      await answer(res, reply, served.body, path.endsWith('/messages'), raw.length);
    } catch (error) {
      // A fault of the script itself: said to the client, so that the test shows it.
      if (!res.headersSent) sendJson(res, { error: { message: `test script: ${String(error)}` } }, 400);
      else res.destroy();
    } finally {
      inFlight--;
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const origin = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  let stopping: Promise<void> | undefined;
  const stop = () =>
    (stopping ??= new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    }));
  try {
    onTestFinished(stop);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
  }
  server.unref();
  return { url: `${origin}/v1`, anthropicUrl: origin, requests, embeddingRequests, peak: () => peak, inFlight: () => inFlight, stop };
}

async function answer(res: ServerResponse, reply: Reply, body: SentBody, anthropic: boolean, length: number): Promise<void> {
  if (reply.delayMs) await pause(reply.delayMs);
  if (res.destroyed) return;
  if (reply.status !== undefined) {
    const type = anthropic ? { type: 'error' } : {};
    return sendJson(
      res,
      reply.body ?? { ...type, error: { type: 'scripted', message: `scripted ${reply.status}` } },
      reply.status,
      reply.headers,
    );
  }
  if (reply.cut !== undefined && reply.cutAt === 'start') return cut(res, reply);
  if (reply.raw) return sendPieces(res, reply, reply.raw);
  if (!anthropic && body.stream !== true) return sendJson(res, openAiWhole(reply, body.model, length), 200, reply.headers);
  return sendPieces(res, reply, anthropic ? anthropicStream(reply, body.model, length) : openAiStream(reply, body.model, length));
}

async function sendPieces(res: ServerResponse, reply: Reply, pieces: Iterable<WirePiece>): Promise<void> {
  res.writeHead(200, { 'content-type': reply.contentType ?? 'text/event-stream', 'cache-control': 'no-cache', ...reply.headers });
  res.flushHeaders();
  for (const piece of pieces) {
    if (res.destroyed) return;
    if (typeof piece !== 'string') return cut(res, reply);
    if (reply.bytewise) for (const byte of Buffer.from(piece)) await write(res, Buffer.of(byte));
    else await write(res, piece);
    if (reply.chunkMs) await pause(reply.chunkMs);
  }
  res.end();
}

/** Writes and lets the socket take it, so that each piece is a packet of its own. */
async function write(res: ServerResponse, data: string | Buffer): Promise<void> {
  if (!res.write(data)) await new Promise((resolve) => res.once('drain', resolve).once('close', resolve));
  await new Promise((resolve) => setImmediate(resolve));
}

async function cut(res: ServerResponse, reply: Reply): Promise<void> {
  if (reply.cut === 'hang') {
    res.flushHeaders();
    await new Promise((resolve) => res.once('close', resolve));
  } else if (reply.cut === 'fin' && res.headersSent) {
    // Ends the TCP stream without the last chunk's mark being missed: a proxy that gives up closes cleanly.
    res.end();
  } else res.destroy();
}

function sendEmbeddings(res: ServerResponse, body: Readonly<Record<string, unknown>>): void {
  const given = Array.isArray(body.input) ? body.input : [body.input];
  const dimensions = typeof body.dimensions === 'number' ? body.dimensions : 256;
  const vectors = embeddings(given.map(String), dimensions);
  sendJson(res, {
    object: 'list',
    model: body.model,
    usage: { prompt_tokens: 1, total_tokens: 1 },
    data: vectors.map((embedding, index) => ({ object: 'embedding', index, embedding })),
  });
}

function sendJson(res: ServerResponse, value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): void {
  res.writeHead(status, { 'content-type': typeof value === 'string' ? 'text/plain' : 'application/json', ...headers });
  res.end(typeof value === 'string' ? value : JSON.stringify(value));
}
