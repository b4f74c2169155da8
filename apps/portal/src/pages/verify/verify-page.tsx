import type { PublicKey } from '@market-state/client/verify';
import { useCallback, useState } from 'react';
import { read, service } from '../../service/client';
import sheet from '../../theme/sheet.module.css';
import { DumpCheck } from './dump-check';
import { keysOf } from './given-keys';
import { TakeFile } from './take-file';
import { PacketChecks } from './packet-checks';
import { type Given, readGiven, UnreadableError } from './read-given';
import styles from './verify.module.css';

/** What was given last: its name, and what it is or why it cannot be checked. */
interface Taken {
  readonly name: string;
  readonly given: Given | string;
}

/** Keys that the reader gave in place of the published ones. */
interface OwnKeys {
  readonly keys: readonly PublicKey[] | null;
  readonly fault: string | null;
}

export default function VerifyPage() {
  const [taken, setTaken] = useState<Taken | null>(null);
  const [isReading, setIsReading] = useState(false);
  const [own, setOwn] = useState<OwnKeys>({ keys: null, fault: null });
  const [round, setRound] = useState(0);

  const take = async (file: Blob, name: string): Promise<void> => {
    setIsReading(true);
    const given = await readGiven(file).catch(faultOf);
    setTaken({ name, given });
    setRound((before) => before + 1);
    setIsReading(false);
  };
  const takeKeys = async (file: Blob): Promise<void> => {
    const read = await file.text().then(keysOf).catch(faultOf);
    setOwn(typeof read === 'string' ? { keys: null, fault: read } : { keys: read, fault: null });
    setRound((before) => before + 1);
  };
  const keys = own.keys;
  const loadKeys = useCallback(
    async (signal: AbortSignal): Promise<readonly PublicKey[]> => keys ?? (await read(service.signingKeys.get({ signal }))).keys,
    [keys],
  );

  return (
    <>
      <div className={sheet['bar']}>
        <h1>Verify what you have</h1>
      </div>
      <p className={sheet['note']}>
        A packet, the bundle of an event, or a dump: this page checks it in your browser and sends none of it anywhere. It asks this server
        for two things alone, when you check: the published keys and the published policy. Give a key yourself, and only the policy is asked
        for, and that only for bundles and dumps.
      </p>
      <div className={styles['panels']}>
        <section className={sheet['panel']} aria-label="What to check">
          <h2>What to check</h2>
          <TakeFile
            what="a packet, a bundle or a dump"
            hint="JSON of a packet or of an answer with packets; gzip or plain NDJSON of a bundle or a dump; 64 MiB at most."
            isBusy={isReading}
            onGive={(file, name) => void take(file, name)}
          />
          <p role="status">{isReading ? 'Being read…' : taken === null ? '' : `${taken.name}: ${whatWords(taken.given)}`}</p>
          {taken !== null && typeof taken.given === 'string' ? (
            <p role="alert" className={sheet['fault']}>
              It cannot be checked. {taken.given}
            </p>
          ) : null}
          <details>
            <summary>
              {own.keys === null ? 'Signatures: the keys that this server publishes' : `Signatures: ${own.keys.length} given by you`}
            </summary>
            <TakeFile
              what="keys"
              hint="JSON as /.well-known/market-state-keys.json lists them, or one key of it."
              onGive={(file) => void takeKeys(file)}
            />
            {own.fault === null ? null : (
              <p role="alert" className={sheet['fault']}>
                {own.fault}
              </p>
            )}
            {own.keys === null ? null : (
              <p className={sheet['actions']}>
                <button type="button" onClick={() => setOwn({ keys: null, fault: null })}>
                  Use the published keys again
                </button>
              </p>
            )}
          </details>
        </section>
        {taken === null || typeof taken.given === 'string' ? null : taken.given.kind === 'packets' ? (
          <PacketChecks key={round} rows={taken.given.rows} loadKeys={loadKeys} isOwnKey={keys !== null} />
        ) : (
          <DumpCheck key={round} dump={taken.given} loadKeys={loadKeys} isOwnKey={keys !== null} />
        )}
      </div>
    </>
  );
}

function faultOf(error: unknown): string {
  if (error instanceof UnreadableError) return error.message;
  return `It could not be read: ${error instanceof Error ? error.message : String(error)}`;
}

function whatWords(given: Given | string): string {
  if (typeof given === 'string') return 'not something that this page can check';
  if (given.kind === 'packets') return given.rows.length === 1 ? 'one packet' : `${given.rows.length.toLocaleString('en-US')} packets`;
  return `${given.lineTotal.toLocaleString('en-US')} lines, packets of ${given.symbols.join(', ')}`;
}
