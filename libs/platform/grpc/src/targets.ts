import { type Channels, createChannels, type TakenChannel } from './channels';
import type { RpcPeer } from './identity/identity';

/** A target of which a call found the service away, late or broken is left to rest for so long while another can take the calls. */
const REST_MS = 5_000;
const RESTING_UNFITNESS = 1.5;

interface Target {
  unfitness(): number;
  take(): TakenChannel;
  close(): void;
}

/**
 * The channels to every target of a service: calls take turns among those that are connected and whose last call did not fail, and else
 * among those that may soon be.
 */
export function createTargets(addresses: readonly string[], peer: RpcPeer): Pick<Channels, 'take' | 'close'> {
  const targets = addresses.map((address) => createTarget(createChannels(address, peer)));
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

function createTarget(channels: Channels): Target {
  let restsUntilMs = 0;
  return {
    unfitness: () => Math.max(channels.unfitness(), performance.now() < restsUntilMs ? RESTING_UNFITNESS : 0),
    take() {
      const { channel, done } = channels.take();
      return {
        channel,
        done(outcome) {
          if (outcome === 'failed') restsUntilMs = performance.now() + REST_MS;
          if (outcome === 'answered') restsUntilMs = 0;
          done();
        },
      };
    },
    close: () => channels.close(),
  };
}
