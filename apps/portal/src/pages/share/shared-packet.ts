import type { Data } from '@market-state/client';

/** What a link shows: the packet while its time is not over, and what proves it. */
export type SharedPacket = Data<'getSharedPacket'>;
