/** How large each attack is, and what it may do to others. */
export interface AttackSizes {
  /** Others are watched for so long before an attack, seconds; 0: not at all. */
  readonly quietSeconds: number;
  readonly silent: { readonly peers: number };
  readonly bodies: { readonly lists: number; readonly logins: number; readonly stallMsMax: number };
  readonly junk: { readonly perSecond: number; readonly seconds: number };
  readonly streams: { readonly replayTries: number; readonly streamTries: number; readonly seconds: number };
  /**
   * `idleSeconds` each service is looked at before and after, when it may take `idleShareMore` of a core more than before. Cheap reads of
   * others share its two cores with the reads that are let in: they may take what section 11 gives accepted calls under overload.
   */
  readonly reads: { readonly calls: number; readonly idleSeconds: number; readonly idleShareMore: number; readonly cheapP99MsMax: number };
  /** Four tenants of a plan that lets in a part of it; `backSeconds` after it all must be as before. */
  readonly overload: {
    readonly planId: 'enterprise' | 'public_pro';
    readonly perSecond: number;
    readonly seconds: number;
    readonly connections: number;
    readonly backSeconds: number;
    readonly acceptedP99MsMax: number;
  };
  readonly logins: { readonly addresses: number };
  /**
   * Below this a p99 counts as quiet, milliseconds. The p99 of a quiet gateway is a few milliseconds, and twice that is within what two
   * shared cores do to it by themselves; 50 ms is what section 11 lets it be at the load it is built for.
   */
  readonly p99FloorMs: number;
}

/** The figures of the requirement. */
export const LONG_SIZES: AttackSizes = {
  quietSeconds: 10,
  silent: { peers: 2_000 },
  bodies: { lists: 8, logins: 25, stallMsMax: 50 },
  junk: { perSecond: 600, seconds: 15 },
  streams: { replayTries: 100, streamTries: 400, seconds: 45 },
  reads: { calls: 24, idleSeconds: 3, idleShareMore: 0.25, cheapP99MsMax: 500 },
  overload: { planId: 'enterprise', perSecond: 6_000, seconds: 30, connections: 240, backSeconds: 9, acceptedP99MsMax: 500 },
  logins: { addresses: 120 },
  p99FloorMs: 50,
};

/** For every change, beside other tests on the same cores: the same attacks, smaller, with time to spare. */
export const SHORT_SIZES: AttackSizes = {
  quietSeconds: 0,
  silent: { peers: 200 },
  bodies: { lists: 8, logins: 25, stallMsMax: 500 },
  junk: { perSecond: 300, seconds: 3 },
  streams: { replayTries: 20, streamTries: 20, seconds: 4 },
  reads: { calls: 24, idleSeconds: 1, idleShareMore: 1, cheapP99MsMax: 5_000 },
  overload: { planId: 'public_pro', perSecond: 1_500, seconds: 2, connections: 60, backSeconds: 1, acceptedP99MsMax: 5_000 },
  logins: { addresses: 40 },
  p99FloorMs: 5_000,
};
