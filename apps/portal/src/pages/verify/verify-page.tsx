import { whole } from '../../market/numbers';
import { Loaded } from '../../status-components/conditions';
import { Choice } from '../../controls/choice';
import { type PublicKey, checkPacket, type PacketCheck, type PacketRow } from '@market-state/client/verify';
import { useCallback, useState, type DragEvent, type FormEvent, useId } from 'react';
import { counted } from '@market-state/packet-figures';
import { useQuery } from '@tanstack/react-query';
import { read, service } from '../../service/client';
import { marketWords, marketsWords } from '../../packets/market-name';
import sheet from '../../theme/sheet.module.css';
import { keysOf, type Given, readGiven, UnreadableError } from './read-given';
import styles from './verify.module.css';
import { RecomputePanel } from '../../recompute/panel/recompute-panel';
import type { LoadRequest } from '../../recompute/use-recompute';
import { StateMark } from '../../charts/state-mark';
import { clock } from '../../time/clock';
import packetStyles from '../packet/packet.module.css';
import { bodyWords, CheckLine, makerWords } from '../packet/verify-panel';

interface TakeFileProps {
  /** Noun phrase, such as `a packet`. */
  readonly what: string;
  readonly hint: string;
  readonly isBusy?: boolean;
  readonly onGive: (file: Blob, name: string) => void;
}

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
    if (text.trim() !== '') onGive(new Blob([text]), 'Pasted text');
  };
  return (
    // Dropping is one of three ways; the keyboard can use the other two.
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
          Check pasted text
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

/** Recomputes the packets of a bundle or dump, one symbol at a time. */
function DumpCheck({ dump: { packed, symbols }, loadKeys, isOwnKey }: DumpCheckProps) {
  const [symbol, setSymbol] = useState(symbols[0] ?? '');
  const isOne = symbols.length === 1;
  const load: LoadRequest = useCallback(
    async (signal) => {
      const [keys, policy] = await Promise.all([loadKeys(signal), read(service.demo.labelingPolicy({}, { signal }))]);
      return {
        bundle: packed.slice(0),
        policyFiles: policy.files,
        keys,
        ...(isOne ? {} : { chosen: { market: symbol, markets: symbols } }),
      };
    },
    [packed, isOne, symbol, symbols, loadKeys],
  );
  return (
    <div>
      {isOne ? null : (
        <p>
          <Choice label="Packets of" value={symbol} options={symbols} say={marketWords} onChoose={setSymbol} />
        </p>
      )}
      <RecomputePanel key={symbol} title="Recomputed in your browser" action="Check" load={load} keyKind={isOwnKey ? 'given' : 'published'}>
        <ul>
          <li>The file is checked in a worker of this page and never leaves your machine.</li>
          <li>The starting checkpoint comes from the file, and no signature covers its digest.</li>
          <li>
            The policy and this page&apos;s script come from this server. To avoid trusting them, run <code>npx market-state verify</code>{' '}
            on the file.
          </li>
        </ul>
      </RecomputePanel>
    </div>
  );
}

interface Taken {
  readonly name: string;
  readonly given: Given | string;
}

/** Null while the published keys are used. */
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
        <h1>Verify a file</h1>
      </div>
      <p className={sheet['note']}>
        Check a packet, an event bundle or a dump in your browser; nothing is uploaded. When you check, the page requests only the published
        keys and the published policy from this server. If you provide a key, it only requests the policy, and only for bundles and dumps.
      </p>
      <div className={styles['panels']}>
        <section className={sheet['panel']} aria-label="File to check">
          <h2>File to check</h2>
          <TakeFile
            what="a packet, a bundle or a dump"
            hint="JSON with one or more packets, or a bundle or dump as gzip or plain NDJSON; at most 64 MiB."
            isBusy={isReading}
            onGive={(file, name) => void take(file, name)}
          />
          <p role="status">{isReading ? 'Reading…' : taken === null ? '' : `${taken.name}: ${whatWords(taken.given)}`}</p>
          {taken !== null && typeof taken.given === 'string' ? (
            <p role="alert" className={sheet['fault']}>
              It can't be checked. {taken.given}
            </p>
          ) : null}
          <details>
            <summary>
              {own.keys === null ? 'Signatures: the keys this server publishes' : `Signatures: ${own.keys.length} provided by you`}
            </summary>
            <TakeFile
              what="keys"
              hint="JSON in the format of /.well-known/market-state-keys.json, or a single key."
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
                  Use the published keys
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
  return `The file could not be read: ${error instanceof Error ? error.message : String(error)}`;
}

function whatWords(given: Given | string): string {
  if (typeof given === 'string') return 'not supported by this page';
  if (given.kind === 'packets') return given.rows.length === 1 ? 'one packet' : `${whole(given.rows.length)} packets`;
  return `${whole(given.lineTotal)} lines, packets of ${marketsWords(given.symbols)}`;
}

interface PacketChecksProps {
  readonly rows: readonly PacketRow[];
  readonly loadKeys: (signal: AbortSignal) => Promise<readonly PublicKey[]>;
  readonly isOwnKey: boolean;
}

/** With many packets, names the first one that fails. */
function PacketChecks({ rows, loadKeys, isOwnKey }: PacketChecksProps) {
  const id = useId();
  const checks = useQuery({
    queryKey: ['verify', id],
    queryFn: async ({ signal }) => {
      const keys = await loadKeys(signal);
      return Promise.all(rows.map(async (row) => ({ row, check: await checkPacket(row, keys) })));
    },
    staleTime: Infinity,
    gcTime: 0,
  });
  return (
    <Loaded query={checks} rows={4} label="Checking">
      {(data) => {
        const broken = data.filter(({ check }) => !check.ok);
        const shown = broken[0] ?? data[0];
        return (
          <section className={packetStyles['verify']} aria-label="Verification">
            <h2>{verdict(data.length, broken.length)}</h2>
            {shown === undefined ? null : <OnePacket {...shown} isFirstFault={broken.length > 0 && data.length > 1} isOwnKey={isOwnKey} />}
          </section>
        );
      }}
    </Loaded>
  );
}

function verdict(total: number, brokenTotal: number): string {
  if (brokenTotal === 0) return total === 1 ? 'Verified' : `${counted(total, 'packet')} verified`;
  return total === 1 ? 'Verification failed' : `${counted(brokenTotal, 'packet')} of ${whole(total)} failed verification`;
}

/** Unverified claims of the packet. */
interface Stated {
  readonly symbol?: string;
  readonly ts?: string;
  readonly state?: string;
  readonly state_label?: string;
}

interface OnePacketProps {
  readonly row: PacketRow;
  readonly check: PacketCheck;
  readonly isFirstFault: boolean;
  readonly isOwnKey: boolean;
}

function OnePacket({ row, check, isFirstFault, isOwnKey }: OnePacketProps) {
  const { symbol = '', ts = '', state = '', state_label: label = state } = row.packet as Stated;
  const endMs = Date.parse(ts);
  return (
    <>
      <p>
        {isFirstFault ? 'First failure: ' : ''}
        <StateMark state={state} /> {label}, {symbol}
        {Number.isNaN(endMs) ? '' : `, window to ${clock(endMs)}`}
      </p>
      <dl>
        <CheckLine
          name="Body"
          answer={check.body === null ? { mark: 'open', words: 'no digest to compare with' } : bodyWords(check)}
          detail={`SHA-256 of the packet as RFC 8785 JSON, computed in this browser: ${check.packetDigest}`}
        />
        <CheckLine
          name="Ids"
          answer={check.id ? { mark: 'yes', words: 'match its content' } : { mark: 'no', words: 'do not match its content' }}
          detail="Packet and event ids are derived from symbol, window and digests."
        />
        <CheckLine
          name="Maker"
          answer={makerWords(check)}
          detail={`Ed25519 signature over the digest by ${row.signing_key_id ?? 'no key'}, checked against ${
            isOwnKey ? 'the keys you provided' : 'the keys this server publishes'
          }.`}
        />
        <CheckLine
          name="Derivation"
          answer={{ mark: 'open', words: 'not checked: it needs the log' }}
          detail="Load the bundle of the event instead: it contains the log entries and the checkpoint before them."
        />
      </dl>
      {check.faults.length === 0 ? null : (
        <ul role="alert">
          {check.faults.map((fault) => (
            <li key={fault}>{fault}</li>
          ))}
        </ul>
      )}
    </>
  );
}
