const MARKET_STATE = '/api/public/market-state';

export const LATEST = `${MARKET_STATE}/latest?symbol=BTCUSD-PERP`;
export const KEYS = `${MARKET_STATE}/account/keys`;
export const CHECKOUT = `${MARKET_STATE}/account/billing/checkout-session`;
export const TRADES = '/api/public/data/trades/latest?symbol=BTCUSD-PERP';
export const BOOK = '/api/public/data/book/l2/latest?symbol=BTCUSD-PERP';
