import { type Channels, createChannels } from './channels';
import type { RpcPeer } from './identity/identity';

/** The channels to every target of a service: calls take turns among those that are connected, and else among those that may soon be. */
export function createTargets(addresses: readonly string[], peer: RpcPeer): Pick<Channels, 'take' | 'close'> {
  const targets = addresses.map((address) => createChannels(address, peer));
  let turn = 0;
  return {
    take() {
      turn = (turn + 1) % targets.length;
      const inTurn = [...targets.slice(turn), ...targets.slice(0, turn)];
      return inTurn.reduce((best, next) => (next.unfitness() < best.unfitness() ? next : best)).take();
    },
    close() {
      for (const target of targets) target.close();
    },
  };
}
