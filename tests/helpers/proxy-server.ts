// A real HTTP proxy on loopback: tunnels for https, whole addresses for http. Behind it stand the invented hosts of a test,
// with TLS for tunnels by the certificate of tests/fixtures/model-test.pem (for model.test and page.test).
import { readFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { onTestFinished } from 'vitest';

export const TEST_CERTIFICATE = join(import.meta.dirname, '..', 'fixtures', 'model-test.pem');

export interface ProxyServer {
  /** `http://127.0.0.1:PORT`. */
  readonly url: string;
  /** What was asked of it: `CONNECT model.test:443`, `POST http://model.test/v1/chat/completions`. */
  readonly asked: string[];
}

export interface ProxyOptions {
  /** Port on loopback of the plain server behind each host; any other host is answered 502. */
  readonly hosts: Readonly<Record<string, number>>;
  /** `user:password` that must be given. */
  readonly credentials?: string;
}

/** Starts the proxy; it ends with the running test. */
export async function startProxy({ hosts, credentials }: ProxyOptions): Promise<ProxyServer> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
  };
  const pem = readFileSync(TEST_CERTIFICATE);
  const wanted = credentials === undefined ? undefined : `Basic ${Buffer.from(credentials).toString('base64')}`;
  const server = createServer((req, res) => {
    asked.push(`${req.method} ${req.url}`);
    const url = new URL(req.url ?? '/', 'http://none');
    const port = hosts[url.hostname];
    if (wanted !== undefined && req.headers['proxy-authorization'] !== wanted) return void res.writeHead(407).end('who are you?');
    if (port === undefined) return void res.writeHead(502).end('no such host');
    const { 'proxy-authorization': _secret, ...headers } = req.headers;
    const onward = request({ port, host: '127.0.0.1', method: req.method, path: url.pathname + url.search, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(res);
    });
    onward.on('error', () => res.destroy());
    req.pipe(onward);
  });
  server.on('connect', (req, socket: Socket) => {
    asked.push(`CONNECT ${req.url}`);
    keep(socket);
    const port = hosts[(req.url ?? '').replace(/:\d+$/, '')];
    if (wanted !== undefined && req.headers['proxy-authorization'] !== wanted)
      return void socket.end('HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 12\r\n\r\nwho are you?');
    if (port === undefined) return void socket.end('HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n');
    const tls = createTlsServer({ key: pem, cert: pem }, (clear) => {
      const onward = connect(port, '127.0.0.1');
      for (const one of [clear, onward]) keep(one);
      clear.pipe(onward).pipe(clear);
    });
    tls.on('tlsClientError', () => socket.destroy());
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    tls.emit('connection', socket);
  });
  server.on('connection', keep);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  );
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`, asked };
}

/** The port in the URL of a server. */
export const portOf = (url: string): number => Number(new URL(url).port);
