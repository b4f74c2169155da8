export { playReplay, type ReplayPlayer } from './streams/player';
