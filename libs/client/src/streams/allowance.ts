/** Messages that a credit pays for. */
const MESSAGES_A_CREDIT = 100;

/** The credits of a stream, over all its connections. */
export interface Allowance {
  /** Credits that are left for further messages. */
  left(): number;
  /** Credits of messages received so far. */
  spent(): number;
  /** A connection has begun: its hundreds are its own. */
  connect(): ConnectionMeter;
}

export interface ConnectionMeter {
  /** Counts a message. False when it is the first of a hundred that is not paid for any more. */
  take(): boolean;
}

/** Counts as the service does: each connection costs one credit for every hundred messages begun. */
export function createAllowance(maxCredits: number): Allowance {
  let spent = 0;
  return {
    left: () => maxCredits - spent,
    spent: () => spent,
    connect() {
      let messages = 0;
      return {
        take() {
          if (messages % MESSAGES_A_CREDIT === 0) {
            if (spent >= maxCredits) return false;
            spent += 1;
          }
          messages += 1;
          return true;
        },
      };
    },
  };
}
