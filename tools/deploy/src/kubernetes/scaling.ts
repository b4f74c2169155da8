import type { Deployed } from '../deployed';
import type { Scaling, Workload } from '../workloads';
import { type KubernetesObject, serviceLabels } from './object';

const CPU_PERCENT = 60;
const METRICS = 'http://prometheus.monitoring.svc:9090';

/** Sets the number of a process's replicas by its CPU. */
export function autoscalerOf({ name, service, workload }: Deployed): KubernetesObject[] {
  const { scaling } = workload;
  return scaling?.by === 'cpu' ? [autoscaler(name, service, workload, scaling)] : [];
}

/** Sets it by how long work waits; by KEDA, which asks Prometheus. */
export function scaledObjectOf({ name, service, workload }: Deployed): KubernetesObject[] {
  const { scaling } = workload;
  return scaling?.by === 'wait' ? [scaledObject(name, service, workload, scaling)] : [];
}

type By<How extends Scaling['by']> = Extract<Scaling, { by: How }>;

function autoscaler(name: string, service: string, workload: Workload, { replicasMax, lagMs }: By<'cpu'>): KubernetesObject {
  const lag = {
    type: 'Pods',
    pods: { metric: { name: 'event_loop_delay_p99_seconds' }, target: { type: 'AverageValue', averageValue: `${lagMs}m` } },
  };
  return {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name, labels: serviceLabels(service) },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: workload.kind, name },
      minReplicas: workload.replicas,
      maxReplicas: replicasMax,
      metrics: [
        { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: CPU_PERCENT } } },
        ...(lagMs === undefined ? [] : [lag]),
      ],
    },
  };
}

/** Where nothing waited for five minutes the histogram has no percentile: that counts as 0. */
function scaledObject(
  name: string,
  service: string,
  workload: Workload,
  { replicasMax, histogram, seconds }: By<'wait'>,
): KubernetesObject {
  const percentile = `histogram_quantile(0.95, sum by (le) (rate(${histogram}_bucket[5m])))`;
  return {
    apiVersion: 'keda.sh/v1alpha1',
    kind: 'ScaledObject',
    metadata: { name, labels: serviceLabels(service) },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: workload.kind, name },
      minReplicaCount: workload.replicas,
      maxReplicaCount: replicasMax,
      triggers: [
        {
          type: 'prometheus',
          metricType: 'Value',
          metadata: { serverAddress: METRICS, query: `(${percentile} >= 0) or vector(0)`, threshold: String(seconds) },
        },
      ],
    },
  };
}
