/**
 * What a symbol's feed does; `priming`: it is behind its time and catches up, or it stands by and could not take over without a gap yet;
 * `standby`: another feed writes the log, and it could take over.
 */
export type Phase = 'priming' | 'playing' | 'paused' | 'standby' | 'stopped';
