import { Choice } from '../../controls/choice';
import { MarketState, type Answer, type OperationId } from '@market-state/client';
import { counted } from '@market-state/packet-figures';
import { useMemo, useState } from 'react';
import { StoredKey, type SandboxKey, useSandboxKey } from '../../calls/sandbox-key';
import { CopyButton } from '../../controls/buttons';
import { Outline, ProblemNotice } from '../../status-components/conditions';
import { clock } from '../../time/clock';
import { AnswerView } from '../../calls/answer-view';
import { marketWords } from '../../packets/market-name';
import styles from '../../calls/calls.module.css';
import { usePublicSymbols } from '../../proofs/proof-queries';

interface ConsoleCall {
  readonly id: string;
  readonly title: string;
  readonly line: string;
  readonly creditsAtMost: number | null;
  readonly send: () => Promise<Answer<OperationId, unknown>>;
}

const API = '/api/public/';
const ROWS = 5;

function callsFor(client: MarketState, symbol: string): readonly ConsoleCall[] {
  const rows = { symbol, limit: ROWS };
  return [
    {
      id: 'latest',
      title: 'Newest packet, compact',
      line: `GET ${API}market-state/latest?symbol=${symbol}&view=compact`,
      creditsAtMost: client.creditsAtMost('getLatest', { symbol, view: 'compact' }),
      send: () => client.latest.get({ symbol, view: 'compact' }),
    },
    {
      id: 'history',
      title: 'States over 24 hours, first 5',
      line: `GET ${API}market-state/history?symbol=${symbol}&limit=${ROWS}`,
      creditsAtMost: client.creditsAtMost('listHistory', rows),
      send: () => client.history.get(rows),
    },
    {
      id: 'trades',
      title: 'Newest 5 trades',
      line: `GET ${API}data/trades/latest?symbol=${symbol}&limit=${ROWS}`,
      creditsAtMost: client.creditsAtMost('listLatestTrades', rows),
      send: () => client.trades.latest(rows),
    },
    {
      id: 'gaps',
      title: 'Gap ledger',
      line: `GET ${API}data/gaps?symbol=${symbol}&limit=${ROWS}`,
      creditsAtMost: client.creditsAtMost('listGaps', rows),
      send: () => client.gaps.list(rows),
    },
    {
      id: 'freshness',
      title: 'Freshness of channels',
      line: `GET ${API}data/status/freshness?symbol=${symbol}`,
      creditsAtMost: client.creditsAtMost('getDataFreshness', { symbol }),
      send: () => client.data.freshness({ symbol }),
    },
  ];
}

type Outcome =
  | { readonly phase: 'none' }
  | { readonly phase: 'running'; readonly call: ConsoleCall }
  | { readonly phase: 'answered'; readonly call: ConsoleCall; readonly answer: Answer<OperationId, unknown>; readonly tookMs: number }
  | { readonly phase: 'refused'; readonly call: ConsoleCall; readonly error: unknown };

const USUAL_SYMBOL = 'BTCUSD-PERP';

function Console({ client }: { readonly client: MarketState }) {
  const symbols = usePublicSymbols().data ?? [];
  const [chosen, setChosen] = useState('');
  const [outcome, setOutcome] = useState<Outcome>({ phase: 'none' });
  const symbol = chosen === '' ? (symbols[0] ?? USUAL_SYMBOL) : chosen;
  const send = async (call: ConsoleCall): Promise<void> => {
    setOutcome({ phase: 'running', call });
    const startedMs = performance.now();
    try {
      const answer = await call.send();
      setOutcome({ phase: 'answered', call, answer, tookMs: performance.now() - startedMs });
    } catch (error) {
      setOutcome({ phase: 'refused', call, error });
    }
  };
  return (
    <div className={styles['console']}>
      <div className={styles['calls']}>
        <Choice label="Symbol" value={symbol} options={symbols} say={marketWords} onChoose={setChosen} />
        <ul>
          {callsFor(client, symbol).map((call) => (
            <li key={call.id}>
              <button type="button" disabled={outcome.phase === 'running'} onClick={() => void send(call)}>
                {call.title}
              </button>
              <span className={styles['soft']}>
                {call.creditsAtMost === null ? '' : `at most ${counted(call.creditsAtMost, 'credit')}`}
              </span>
            </li>
          ))}
        </ul>
      </div>
      <OutcomeView outcome={outcome} />
    </div>
  );
}

function OutcomeView({ outcome }: { readonly outcome: Outcome }) {
  if (outcome.phase === 'none')
    return <p className={styles['soft']}>Choose a call to see its response here, as your program would get it.</p>;
  return (
    <div className={styles['answer']}>
      <p>
        <code>{outcome.call.line}</code>
      </p>
      {outcome.phase === 'running' ? <p role="status">Loading…</p> : null}
      {outcome.phase === 'refused' ? <ProblemNotice error={outcome.error} /> : null}
      {outcome.phase === 'answered' ? <AnswerView {...outcome.answer} tookMs={outcome.tookMs} left="call" /> : null}
    </div>
  );
}

const CREDITS_MAX = 10;

export default function SandboxConsole() {
  const { made, isMaking, error, make, forget } = useSandboxKey(true);
  if (error !== null) return <ProblemNotice error={error} retry={make} />;
  if (made !== null) return <KeyInHand made={made} onForget={forget} />;
  if (isMaking) return <Outline rows={3} label="Creating a key" />;
  return (
    <p>
      This page has forgotten the key.{' '}
      <button type="button" onClick={make}>
        Create another free key
      </button>
    </p>
  );
}

const LATEST = `${API}market-state/latest?symbol=${USUAL_SYMBOL}&view=compact`;

/** Shown with the key masked, copied with the key. */
function FirstCall({ secret, masked }: { readonly secret: string; readonly masked: string }) {
  const command = (key: string): string => `curl -H 'x-market-state-api-key: ${key}' \\\n  '${location.origin}${LATEST}'`;
  return (
    <div className={styles['first']}>
      <pre tabIndex={0}>{command(masked)}</pre>
      <CopyButton text={command(secret)} label="Copy with the key" />
    </div>
  );
}

function KeyInHand({ made: { key, record, calls }, onForget }: { readonly made: SandboxKey; readonly onForget: () => void }) {
  const client = useMemo(() => new MarketState({ baseUrl: location.origin, apiKey: key, maxCreditsPerCall: CREDITS_MAX }), [key]);
  return (
    <>
      <p>
        Your key, valid for {calls} calls{record.expires_utc === null ? '' : ` until ${clock(record.expires_utc, 'minute')}`}. It can't be
        shown again once you leave this page.
      </p>
      <StoredKey secret={key} masked={record.display} onForget={onForget} />
      <FirstCall secret={key} masked={record.display} />
      <Console client={client} />
    </>
  );
}
