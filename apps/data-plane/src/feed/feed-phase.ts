/** What a symbol's feed does; `priming`: it is behind its time and catches up. */
export type Phase = 'priming' | 'playing' | 'paused' | 'stopped';
