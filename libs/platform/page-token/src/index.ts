export { readToken, writeToken } from './page-token';
