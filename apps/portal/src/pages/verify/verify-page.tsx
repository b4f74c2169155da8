import type { PublicKey } from '@market-state/client/verify';
import { useCallback, useState, type DragEvent, type FormEvent, useId } from 'react';
import { read, service } from '../../service/client';
import sheet from '../../theme/sheet.module.css';
import { keysOf, type Given, readGiven, UnreadableError } from './read-given';
import { PacketChecks } from './packet-checks';
import styles from './verify.module.css';
import { RecomputePanel } from '../../recompute/panel/recompute-panel';
import type { LoadRequest } from '../../recompute/use-recompute';

interface TakeFileProps {
  /** What is wanted: `a packet`. */
  readonly what: string;
  /** Which forms are taken. */
  readonly hint: string;
  readonly isBusy?: boolean;
  readonly onGive: (file: Blob, name: string) => void;
}

/** Takes a file: dropped, chosen, or pasted as text. */
function TakeFile({ what, hint, isBusy = false, onGive }: TakeFileProps) {
  const [isOver, setIsOver] = useState(false);
  const id = useId();
  const drop = (dropped: DragEvent): void => {
    dropped.preventDefault();
    setIsOver(false);
    const [file] = dropped.dataTransfer.files;
    if (file !== undefined) onGive(file, file.name);
  };
  const paste = (submitted: FormEvent<HTMLFormElement>): void => {
    submitted.preventDefault();
    const text = String(new FormData(submitted.currentTarget).get('text') ?? '');
    if (text.trim() !== '') onGive(new Blob([text]), 'The pasted text');
  };
  return (
    // Dropping is one of three ways; the keyboard has the other two.
    <form
      className={styles['give']}
      data-over={isOver}
      onSubmit={paste}
      onDragOver={(dragged) => {
        dragged.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={drop}
    >
      <label>
        Choose {what}, or drop it here
        <input
          type="file"
          disabled={isBusy}
          onChange={({ target }) => {
            const [file] = target.files ?? [];
            if (file !== undefined) onGive(file, file.name);
            target.value = '';
          }}
        />
      </label>
      <label htmlFor={id}>Or paste it</label>
      <textarea id={id} name="text" rows={4} spellCheck={false} autoComplete="off" aria-describedby={`${id}-hint`} />
      <p id={`${id}-hint`} className={sheet['soft']}>
        {hint}
      </p>
      <p className={sheet['actions']}>
        <button type="submit" disabled={isBusy}>
          Take the pasted text
        </button>
      </p>
    </form>
  );
}

interface DumpCheckProps {
  readonly dump: Extract<Given, { readonly kind: 'dump' }>;
  readonly loadKeys: (signal: AbortSignal) => Promise<readonly PublicKey[]>;
  readonly isOwnKey: boolean;
}

/** Makes the packets of a bundle or a dump again, one symbol at a time. */
function DumpCheck({ dump: { packed, symbols }, loadKeys, isOwnKey }: DumpCheckProps) {
  const [symbol, setSymbol] = useState(symbols[0] ?? '');
  const isOne = symbols.length === 1;
  const load: LoadRequest = useCallback(
    async (signal) => {
      const [keys, policy] = await Promise.all([loadKeys(signal), read(service.demo.labelingPolicy({}, { signal }))]);
      return { bundle: packed.slice(0), policyFiles: policy.files, keys, ...(isOne ? {} : { symbol }) };
    },
    [packed, isOne, symbol, loadKeys],
  );
  return (
    <div>
      {isOne ? null : (
        <p>
          <label>
            Packets of{' '}
            <select value={symbol} onChange={({ target }) => setSymbol(target.value)}>
              {symbols.map((each) => (
                <option key={each}>{each}</option>
              ))}
            </select>
          </label>
        </p>
      )}
      <RecomputePanel
        key={symbol}
        title="Made again in your browser"
        action="Check it"
        load={load}
        keyKind={isOwnKey ? 'given' : 'published'}
      >
        <ul>
          <li>The file is checked in a worker of this page and leaves this machine in no form.</li>
          <li>The checkpoint that it begins at is what the file says; its digest is part of no signature.</li>
          <li>
            The policy and this page&apos;s script are this server&apos;s. To do without them, run <code>npx market-state verify</code> on
            the file.
          </li>
        </ul>
      </RecomputePanel>
    </div>
  );
}

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
