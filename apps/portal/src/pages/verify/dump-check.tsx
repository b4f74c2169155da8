import type { PublicKey } from '@market-state/client/verify';
import { useCallback, useState } from 'react';
import { RecomputePanel } from '../../recompute/panel/recompute-panel';
import type { LoadRequest } from '../../recompute/panel/use-recompute';
import { read, service } from '../../service/client';
import type { Given } from './read-given';

interface DumpCheckProps {
  readonly dump: Extract<Given, { readonly kind: 'dump' }>;
  readonly loadKeys: (signal: AbortSignal) => Promise<readonly PublicKey[]>;
  readonly isOwnKey: boolean;
}

/** Makes the packets of a bundle or a dump again, one symbol at a time. */
export function DumpCheck({ dump: { packed, symbols }, loadKeys, isOwnKey }: DumpCheckProps) {
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
