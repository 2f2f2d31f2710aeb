// A small web site on loopback whose every answer a test writes, and tools that fetch from it under invented names.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../store/clock.ts';
import { createFrame } from '../../workers/agent/tools/frame.ts';
import { openOutputs } from '../../workers/agent/tools/outputs.ts';
import type { ToolResult } from '../../workers/agent/tools/tool.ts';
import { createWebTools, type WebToolDeps } from '../../workers/agent/tools/web-tools.ts';
import type { ResolvedAddress } from '../../workers/agent/web/resolve.ts';
import { tempFolder } from './temp.ts';

export type Serve = (req: IncomingMessage, res: ServerResponse) => void;

export interface WebServer {
  readonly port: number;
  /** `http://site.test:PORT`, a name that only the test's resolver knows. */
  readonly origin: string;
  readonly requests: IncomingMessage[];
  /** Connections that are open now. */
  open(): number;
}

/** Serves each path by its function until the test ends; other paths answer 404. */
export async function startWebServer(pages: Readonly<Record<string, Serve>>): Promise<WebServer> {
  const requests: IncomingMessage[] = [];
  let open = 0;
  const server = createServer((req, res) => {
    requests.push(req);
    const page = pages[new URL(req.url ?? '/', 'http://x').pathname];
    if (page !== undefined) return page(req, res);
    res.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Nothing here</h1>');
  });
  server.on('connection', (socket) => {
    open++;
    socket.once('close', () => open--);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { port, origin: `http://site.test:${port}`, requests, open: () => open };
}

/** An answer with these headers and this body. */
export function page(type: string | undefined, body: string | Buffer, headers: Readonly<Record<string, string>> = {}): Serve {
  return (_req, res) => void res.writeHead(200, { ...(type !== undefined && { 'content-type': type }), ...headers }).end(body);
}

export interface WebBench {
  call(name: string, args: unknown, signal?: AbortSignal): Promise<ToolResult>;
  /** The result of fetching an address. */
  fetch(url: string, more?: { readonly max_chars?: number }): Promise<ToolResult>;
  /** Host names that were resolved. */
  readonly resolved: string[];
}

/** The web tools in a real frame; every name resolves to loopback unless `hosts` says otherwise. */
export function webBench(
  options: Partial<WebToolDeps> & { readonly hosts?: Readonly<Record<string, readonly string[]>>; readonly cap?: number } = {},
): WebBench {
  const resolved: string[] = [];
  const outputs = openOutputs(tempFolder());
  const resolve = async (host: string): Promise<ResolvedAddress[]> => {
    resolved.push(host);
    if (host.endsWith('.invalid')) throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: 'ENOTFOUND' });
    return (options.hosts?.[host] ?? ['127.0.0.1']).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  };
  const frame = createFrame({
    tools: createWebTools({ tavily: {}, allowPrivate: true, version: '1.2.3', clock: systemClock, resolve, ...options }),
    permissions: () => ({ mode: 'plan', allow: [], deny: [] }),
    inWorktree: false,
    capBytes: () => options.cap ?? 1_000_000,
    outputs,
    secrets: () => [],
  });
  let row = 0;
  const call: WebBench['call'] = (name, args, signal = new AbortController().signal) =>
    frame.run({ name, args }, { origin: { session: 's', row: ++row, index: 0 }, agent: 'Lead', root: '/', signal });
  return { call, resolved, fetch: (url, more = {}) => call('web_fetch', { url, ...more }) };
}
