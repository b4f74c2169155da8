/** The one coin of the venue. */
export const COIN = 'SIM';
/** The symbol that the market is made for. */
export const SYMBOL = 'SIMUSD-PERP';
