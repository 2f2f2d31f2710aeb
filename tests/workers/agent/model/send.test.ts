// The HTTP request itself: connections kept and lost, answers compressed unasked.
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { XzError } from '../../../../store/errors.ts';
import { openModel } from '../../../../workers/agent/model/model.ts';
import { until } from '../../../helpers/until.ts';
import { ask, settingsFor, user } from './asking.ts';

const REPLY = `data: ${JSON.stringify({ id: 'x', choices: [{ index: 0, delta: { content: 'ok' }, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`;

async function listening(server: Server): Promise<{ url: string; anthropicUrl: string }> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port }: AddressInfo = Object(server.address());
  const url = `http://127.0.0.1:${port}`;
  return { url, anthropicUrl: url };
}

describe('a request', () => {
  it.each<[what: string, status: number, refresh: () => Promise<boolean>]>([
    ['a redirect', 302, () => Promise.resolve(true)],
    ['a 401 after which no other token can be had', 401, () => Promise.reject(new XzError('not_configured', 'log in again'))],
  ])('leaves no connection behind that keeps the program alive: %s', async (_what, status, refresh) => {
    let open = 0;
    const server = createHttpServer(
      (_req, res) => void res.writeHead(status, { location: 'http://127.0.0.1:1/' }).end('x'.repeat(100_000)),
    );
    server.keepAliveTimeout = 60_000;
    server.on('connection', (socket) => {
      open++;
      socket.once('close', () => open--);
    });
    const model = openModel({ ...settingsFor(await listening(server)), refresh });
    await expect(ask(model, [user('hi')])).rejects.toThrow(/redirects to|log in again/);
    await until(() => open === 0, 'the connection to be closed');
  });

  it('uses the connection of the one before', async () => {
    const ports = new Set<number | undefined>();
    const at = await listening(
      createHttpServer((req, res) => {
        ports.add(req.socket.remotePort);
        res.writeHead(200, { 'content-type': 'text/event-stream' }).end(REPLY);
      }),
    );
    const model = openModel(settingsFor(at));
    for (let n = 0; n < 3; n++) await ask(model, [user('hi')]);
    expect(ports.size).toBe(1);
  });

  it('comes again on a new connection when the kept one was closed just then', async () => {
    let connections = 0;
    const server = createServer((socket) => {
      connections++;
      let requests = 0;
      socket.on('error', () => undefined);
      socket.on('data', (data) => {
        if (!data.toString().startsWith('POST')) return;
        if (++requests > 1) return void socket.resetAndDestroy();
        const head = `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: keep-alive\r\ncontent-length: ${REPLY.length}\r\n\r\n`;
        socket.write(head + REPLY);
      });
    });
    const model = openModel(settingsFor(await listening(server)));
    for (let n = 0; n < 2; n++) expect((await ask(model, [user('hi')])).content.finish).toBe('stop');
    expect(connections).toBe(2);
  });

  it('reads an answer that is compressed although nobody asked', async () => {
    const at = await listening(
      createHttpServer((req, res) => {
        expect(req.headers['accept-encoding']).toBe('identity');
        res.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' }).end(gzipSync(REPLY));
      }),
    );
    expect((await ask(openModel(settingsFor(at)), [user('hi')])).content.parts).toEqual([{ type: 'text', text: 'ok' }]);
  });
});
