import type { DatabaseService } from '../stores/services';

/** One of our processes, as the launcher runs it. */
export interface ProcessDefinition {
  /** Name of the process and of its bundle under dist/. */
  name: string;
  /** Whose database it uses. */
  database?: DatabaseService;
  /** Whether it works with the event log; no other process is told where Redis is. */
  usesEventLog?: boolean;
  /** Whether it signs packets; no other process is told where the key is. */
  signsPackets?: boolean;
  /** The variable that tells the others where its gRPC server is; absent when it has none. */
  addressVariable?: string;
  /** Whether it serves the public port. */
  isPublic?: boolean;
  /** Order of the stop: lower numbers go first, equal ones together. */
  stopStage: number;
}

/** The processes of the system, in the order they are started. */
export const definitions: readonly ProcessDefinition[] = [
  { name: 'account', database: 'account', addressVariable: 'ACCOUNT_ADDRESS', stopStage: 1 },
  { name: 'data-plane-feed', database: 'data_plane', usesEventLog: true, addressVariable: 'FEED_ADDRESS', stopStage: 2 },
  { name: 'data-plane-recorder', database: 'data_plane', usesEventLog: true, addressVariable: 'RECORDER_ADDRESS', stopStage: 2 },
  { name: 'data-plane', database: 'data_plane', usesEventLog: true, addressVariable: 'DATA_PLANE_ADDRESS', stopStage: 1 },
  { name: 'labeling', database: 'labeling', usesEventLog: true, signsPackets: true, addressVariable: 'LABELING_ADDRESS', stopStage: 1 },
  { name: 'gateway', isPublic: true, stopStage: 0 },
];
