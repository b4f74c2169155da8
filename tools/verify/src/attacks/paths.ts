const ACCOUNT = '/api/public/market-state/account';
const DATA = '/api/public/data';

export const LOGIN = `${ACCOUNT}/auth/login`;
export const CLAIM = `${ACCOUNT}/auth/claim`;
export const LIVE_STREAM = `${DATA}/stream?symbol=BTCUSD-PERP&channels=trades,book`;
export const REPLAY_STREAM = `${DATA}/stream/replay?symbol=BTCUSD-PERP&channels=trades`;
export const WINDOW = `${DATA}/replay/window?symbol=BTCUSD-PERP`;
