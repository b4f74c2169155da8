import type { Upstreams } from '../../../clients/upstreams';
import type { OpenStreams } from '../../../streams/open-streams';

export interface WebhooksDeps extends Pick<Upstreams, 'endpoints' | 'messages' | 'messageWaits'> {
  readonly streams: { readonly open: Pick<OpenStreams, 'wait'> };
}
