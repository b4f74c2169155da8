import { Problem } from '../errors/problem';

export interface LookUpLaneSettings {
  /** Look-ups under way at once. */
  readonly inFlightMax: number;
  /** Look-ups that wait for one of these to end; one more is refused. */
  readonly waitingMax: number;
  /** A look-up that waited so long is refused, milliseconds. */
  readonly waitMsMax: number;
}

/** Lets so many look-ups of credentials go at once, and so many wait, in the order in which they came. */
export interface LookUpLane {
  /** Runs a look-up when it may go. Throws 503 `overloaded` when it may not in time. */
  run<T>(lookUp: () => Promise<T>): Promise<T>;
}

interface Waiting {
  readonly go: () => void;
  readonly timer: NodeJS.Timeout;
}

function busy(): Problem {
  return new Problem('overloaded', 'Too many credentials are being looked up; try again. Nothing was charged.', {
    headers: { 'Retry-After': '1' },
  });
}

export function createLookUpLane({ inFlightMax, waitingMax, waitMsMax }: LookUpLaneSettings): LookUpLane {
  const waiting = new Set<Waiting>();
  let inFlight = 0;

  async function enter(): Promise<void> {
    if (inFlight < inFlightMax) {
      inFlight += 1;
      return;
    }
    if (waiting.size >= waitingMax) throw busy();
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(entry);
        reject(busy());
      }, waitMsMax);
      const entry: Waiting = { go: resolve, timer };
      waiting.add(entry);
    });
  }

  /** Hands the place on to the one that waits longest. */
  function leave(): void {
    const [next] = waiting;
    if (next === undefined) {
      inFlight -= 1;
      return;
    }
    waiting.delete(next);
    clearTimeout(next.timer);
    next.go();
  }

  return {
    async run(lookUp) {
      await enter();
      try {
        return await lookUp();
      } finally {
        leave();
      }
    },
  };
}
