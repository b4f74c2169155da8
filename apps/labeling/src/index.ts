export { type LabelingConfig, readLabelingConfig } from './config';
export { type LabelingOverrides } from './deps';
export { type Labeler, type Reducer } from './labeling/policy-labeler';
export { startLabeling, type LabelingServer } from './server';
