import { Client, connectivityState } from '@grpc/grpc-js';
import type { RpcPeer } from './identity/identity';
import type { Outcome } from './breaker';
import { FLOW_CONTROL_BYTES, KEEPALIVE_ANSWER_MS, KEEPALIVE_MS, MESSAGE_BYTES_MAX } from './limits';

export interface AcquiredChannel {
  readonly channel: Client;
  /** @param outcome default: no evidence */
  done(outcome?: Outcome): void;
}

/** Replaced when certificates change. */
interface Channels {
  take(): AcquiredChannel;
  /** 0 if connected, 1 if connecting, more after a failure. Starts connecting if idle. */
  unfitness(): number;
  close(): void;
}

interface CountedChannel {
  readonly client: Client;
  calls: number;
}

/** Running calls finish on their old channel. */
function createChannels(address: string, peer: RpcPeer): Channels {
  let current = openChannel();
  const open = new Set([current]);

  function openChannel(): CountedChannel {
    const { credentials, options } = peer.channel();
    return { client: new Client(address, credentials, { ...CHANNEL_OPTIONS, ...options }), calls: 0 };
  }

  function closeIdle(counted: CountedChannel): void {
    if (counted === current || counted.calls > 0 || !open.delete(counted)) return;
    counted.client.close();
  }

  const stopListening = peer.onReplaced(() => {
    const replaced = current;
    current = openChannel();
    open.add(current);
    closeIdle(replaced);
  });
  return {
    take() {
      const counted = current;
      counted.calls += 1;
      return {
        channel: counted.client,
        done() {
          counted.calls -= 1;
          closeIdle(counted);
        },
      };
    },
    unfitness() {
      switch (current.client.getChannel().getConnectivityState(true)) {
        case connectivityState.READY:
          return 0;
        case connectivityState.CONNECTING:
        case connectivityState.IDLE:
          return 1;
        default:
          return 2;
      }
    },
    close() {
      stopListening();
      for (const { client } of open) client.close();
      open.clear();
    },
  };
}

const CHANNEL_OPTIONS = {
  'grpc-node.flow_control_window': FLOW_CONTROL_BYTES,
  'grpc.max_receive_message_length': MESSAGE_BYTES_MAX,
  'grpc.max_send_message_length': MESSAGE_BYTES_MAX,
  'grpc.keepalive_time_ms': KEEPALIVE_MS,
  'grpc.keepalive_timeout_ms': KEEPALIVE_ANSWER_MS,
  'grpc.keepalive_permit_without_calls': 1,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1_000,
  'grpc.enable_retries': 0,
  // An environment proxy would receive call tokens.
  'grpc.enable_http_proxy': 0,
  'grpc.use_local_subchannel_pool': 1,
  'grpc.service_config': JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }),
} as const;

/** A failed target is avoided if another can take its calls. */
const REST_MS = 5_000;
const RESTING_UNFITNESS = 1.5;

interface Target {
  unfitness(): number;
  take(): AcquiredChannel;
  close(): void;
}

/** Round robin over connected targets without a recent failure, else over those that may connect soon. */
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
