import type { ReactNode } from 'react';

interface FactsProps {
  readonly className?: string | undefined;
  /** Null is left out. */
  readonly facts: readonly (readonly [name: ReactNode, value: ReactNode] | null)[];
}

/** Names and values, each pair in a box of its own. */
export function Facts({ className, facts }: FactsProps) {
  return (
    <dl className={className}>
      {facts.map((fact, index) =>
        fact === null ? null : (
          <div key={index}>
            <dt>{fact[0]}</dt>
            <dd>{fact[1]}</dd>
          </div>
        ),
      )}
    </dl>
  );
}
