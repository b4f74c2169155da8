import type { ExpectedMessages } from '../live/expected-messages';

const CONNECTION_CHANNELS: readonly unknown[] = ['subscriptionResponse', 'pong'];

export const hyperliquidMessages: ExpectedMessages = {
  kindOf: ({ channel, data }) => (CONNECTION_CHANNELS.includes(channel) ? undefined : { kind: String(channel), body: data }),
  messages: {
    l2Book: { fields: ['coin', 'time', 'levels.px', 'levels.sz', 'levels.n', 'spread', 'fast'] },
    bbo: { fields: ['coin', 'time', 'bbo.px', 'bbo.sz', 'bbo.n', 'bbo'] },
    trades: { fields: ['coin', 'side', 'px', 'sz', 'hash', 'time', 'tid', 'users'] },
    activeAssetCtx: {
      fields: [
        'coin',
        ...['funding', 'openInterest', 'prevDayPx', 'dayNtlVlm', 'premium', 'oraclePx', 'markPx', 'midPx', 'impactPxs', 'dayBaseVlm'].map(
          (name) => `ctx.${name}`,
        ),
      ],
    },
    candle: { fields: ['t', 'T', 's', 'i', 'o', 'c', 'h', 'l', 'v', 'n'] },
  },
};

/** The simulated venue sends one kind more. */
export const simulatedMessages: ExpectedMessages = {
  ...hyperliquidMessages,
  messages: {
    ...hyperliquidMessages.messages,
    simLiquidations: { fields: ['coin', 'id', 'positionSide', 'px', 'sz', 'time'], isRare: true },
  },
};
