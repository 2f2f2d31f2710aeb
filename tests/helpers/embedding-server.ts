// An embedding server on loopback that answers what a test says: right vectors, or the wrong ones servers have sent.
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { onTestFinished } from 'vitest';
import { embeddings } from './model-reply.ts';

export interface EmbeddingRequest {
  readonly headers: IncomingHttpHeaders;
  readonly model: string;
  readonly input: readonly string[];
  readonly dimensions?: number;
}

export interface EmbeddingAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; a string is sent as it is. */
  readonly body: unknown;
}

export interface EmbeddingServer {
  readonly url: string;
  readonly requests: EmbeddingRequest[];
}

/** The right answer: bag-of-words vectors of `width` numbers. */
export function vectorsFor(input: readonly string[], width: number): EmbeddingAnswer {
  return { body: { data: embeddings(input, width).map((embedding, index) => ({ index, embedding })) } };
}

/** Starts the server; it stops when the running test ends. */
export async function startEmbeddingServer(answer: (request: EmbeddingRequest, n: number) => EmbeddingAnswer): Promise<EmbeddingServer> {
  const requests: EmbeddingRequest[] = [];
  const server = createServer(async (req, res) => {
    let text = '';
    for await (const part of req.setEncoding('utf8')) text += part;
    const request: EmbeddingRequest = { headers: req.headers, ...JSON.parse(text) };
    requests.push(request);
    const { status = 200, headers = {}, body } = answer(request, requests.length);
    res.writeHead(status, { 'content-type': 'application/json', ...headers });
    res.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/v1`, requests };
}
