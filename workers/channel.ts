// comlink over a Node MessagePort: the dozen lines between the two event interfaces, with types.
import type { MessagePort } from 'node:worker_threads';
import { type Endpoint, expose, type Remote, wrap } from 'comlink';

type Listener = (event: { readonly data: unknown }) => void;

/** The port as comlink's endpoint. */
function endpointOf(port: MessagePort): Endpoint {
  const wrapped = new WeakMap<object, (data: unknown) => void>();
  const listenerOf = (given: Parameters<Endpoint['addEventListener']>[1]): Listener =>
    typeof given === 'function'
      ? (event) => given(Object.assign(new Event('message'), event))
      : (event) => given.handleEvent(Object.assign(new Event('message'), event));
  return {
    addEventListener(_type, given) {
      const listener = listenerOf(given);
      const onMessage = (data: unknown) => listener({ data });
      wrapped.set(given, onMessage);
      port.on('message', onMessage);
    },
    removeEventListener(_type, given) {
      const onMessage = wrapped.get(given);
      if (onMessage !== undefined) port.off('message', onMessage);
    },
    postMessage: (message) => port.postMessage(message),
    start: () => port.start(),
  };
}

/**
 * Offers `mine` to the other side and returns what it offers. A call to a peer that has died never settles: whoever
 * waits for one races it against that death (see pool.ts).
 */
export function connect<Theirs extends object>(port: MessagePort, mine: object): Remote<Theirs> {
  const endpoint = endpointOf(port);
  expose(mine, endpoint);
  return wrap<Theirs>(endpoint);
}
