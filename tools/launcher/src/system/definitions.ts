import { join } from 'node:path';
import { DEMO_TENANT } from './demo-tenant';
import { feedsOf } from './feeds';
import type { DatabaseService } from '../stores/services';

/** One of our processes, as the launcher runs it. */
export interface ProcessDefinition {
  /** Name of the process and of its bundle under dist/. */
  name: string;
  /** Whose database it uses. */
  database?: DatabaseService;
  /** Whether it works with the event log. */
  usesEventLog?: boolean;
  /** Whether it counts calls against limits that are shared; it and those with the event log are told where Redis is. */
  countsCalls?: boolean;
  /** Variables that are secrets of the installation, made where the operator sets none; no other process sees them. */
  secrets?: readonly string[];
  /** Settings that no other process sees, but those that name them too. */
  ownSettings?: readonly string[];
  /** Whether it signs packets; no other process is told where the key is. */
  signsPackets?: boolean;
  /** Whether it keeps and reads the archive; no other process is told where that is. */
  usesArchive?: boolean;
  /** Its settings where the operator sets none. */
  defaults?: (place: { dataDir: string; publicUrl: string }) => NodeJS.ProcessEnv;
  /** The variable that tells all where its server is; absent when it has none that others call. */
  addressVariable?: string;
  /** Whether it serves the public port. */
  isPublic?: boolean;
  /** Order of the stop: lower numbers go first, equal ones together. */
  stopStage: number;
}

/** The venue that is played when there is no network; it runs only where `FEED` names it. */
const SIMULATED_VENUE = 'simulated-venue';

/** The processes of the system, in the order they are started. */
export const definitions: readonly ProcessDefinition[] = [
  { name: SIMULATED_VENUE, addressVariable: 'SIMULATED_VENUE_ADDRESS', stopStage: 3 },
  {
    name: 'account',
    database: 'account',
    secrets: ['ANSWER_SECRET'],
    ownSettings: [
      'ALLOW_TRIALS',
      'TRIALS_PER_ADDRESS',
      'TRIALS_PER_DAY',
      'CLAIM_MAILS_PER_DAY',
      'ACCOUNT_VERIFICATION',
      'SANDBOX_KEYS_PER_DAY',
      'SHOWN_TENANT',
      'OUTBOX_DIR',
      'SMTP_URL',
      'MAIL_FROM',
      'STRIPE_SECRET_KEY',
      'STRIPE_WEBHOOK_SECRET',
      'STRIPE_API_BASE',
    ],
    defaults: ({ dataDir, publicUrl }) => ({
      ALLOW_TRIALS: 'true',
      SHOWN_TENANT: DEMO_TENANT,
      OUTBOX_DIR: join(dataDir, 'outbox'),
      PUBLIC_BASE_URL: publicUrl,
    }),
    addressVariable: 'ACCOUNT_ADDRESS',
    stopStage: 1,
  },
  { name: 'data-plane-feed', database: 'data_plane', usesEventLog: true, addressVariable: 'FEED_ADDRESS', stopStage: 2 },
  {
    name: 'data-plane-recorder',
    database: 'data_plane',
    usesEventLog: true,
    usesArchive: true,
    addressVariable: 'RECORDER_ADDRESS',
    stopStage: 2,
  },
  {
    name: 'data-plane',
    database: 'data_plane',
    usesEventLog: true,
    usesArchive: true,
    addressVariable: 'DATA_PLANE_ADDRESS',
    stopStage: 1,
  },
  {
    name: 'labeling',
    database: 'labeling',
    usesEventLog: true,
    usesArchive: true,
    signsPackets: true,
    addressVariable: 'LABELING_ADDRESS',
    stopStage: 1,
  },
  { name: 'gateway', countsCalls: true, secrets: ['QUOTE_SECRET'], isPublic: true, stopStage: 0 },
];

/** The processes that these settings call for. */
export function definitionsFor(settings: NodeJS.ProcessEnv): readonly ProcessDefinition[] {
  const isSimulated = feedsOf(settings).includes('simulated');
  return definitions.filter(({ name }) => isSimulated || name !== SIMULATED_VENUE);
}
