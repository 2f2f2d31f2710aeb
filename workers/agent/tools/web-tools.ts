// The tools that reach the web. What they need (conversion, charsets, resolver) is loaded at the first call.
import type { Clock } from '../../../store/clock.ts';
import type { FetchLimits } from '../web/follow.ts';
import type { ResolveHost } from '../web/resolve.ts';
import type { Tool } from './tool.ts';
import { webFetchTool } from './web-fetch.ts';
import { webSearchTool } from './web-search.ts';

export interface WebToolDeps {
  readonly tavily: { readonly key?: string | undefined; readonly baseUrl?: string | undefined };
  /** Whether private, loopback and link-local addresses may be fetched. */
  readonly allowPrivate: boolean;
  /** xz's version, for the user agent. */
  readonly version: string;
  readonly clock: Clock;
  /** Absent: the system's resolver. */
  readonly resolve?: ResolveHost;
  /** Absent: 30 s, 5 MB, 10 redirects. */
  readonly limits?: FetchLimits;
}

export function createWebTools(deps: WebToolDeps): Tool[] {
  return [webSearchTool(deps), webFetchTool(deps)];
}
