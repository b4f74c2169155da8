import { useEffect, useRef, useState } from 'react';
import type { MarketRow } from './live-markets';
import { marketWords } from './market-name';

const EVERY_MS = 10_000;

/** Announces state changes to screen readers, batched over ten seconds. */
export function Announcer({ rows }: { readonly rows: readonly Pick<MarketRow, 'symbol' | 'packet'>[] }) {
  const [text, setText] = useState('');
  const newest = useRef(rows);
  const announced = useRef<ReadonlyMap<string, string> | null>(null);
  useEffect(() => {
    newest.current = rows;
  }, [rows]);
  useEffect(() => {
    const timer = setInterval(() => {
      const before = announced.current;
      announced.current = new Map(newest.current.map(({ symbol, packet }) => [symbol, packet.state_label]));
      if (before === null) return;
      const changed = [...announced.current].filter(([symbol, label]) => before.has(symbol) && before.get(symbol) !== label);
      if (changed.length > 0) setText(changed.map(([symbol, label]) => `${marketWords(symbol)}: ${label}`).join('; '));
    }, EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <p className="visually-hidden" aria-live="polite">
      {text}
    </p>
  );
}
