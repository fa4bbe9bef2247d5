import { isObject } from '../kernel/json.ts';

/**
 * Whether a value has the shape of a stored family. Written by hand, because a process reads thousands at start (10,000
 * cold: 20 ms; with the compiled guard 100 ms, with zod 150 ms).
 */
export const isFamily = (value: unknown): boolean =>
  isObject(value) &&
  isText(value.name) &&
  typeof value.enabled === 'boolean' &&
  isTextOrNone(value.default_version) &&
  Array.isArray(value.versions) &&
  value.versions.every(isVersion) &&
  isTextOrNone(value.disabled_reason) &&
  (value.source === undefined || isSource(value.source));

const isSource = (value: unknown): boolean =>
  isObject(value) &&
  isText(value.name) &&
  isText(value.tool) &&
  isTextOrNone(value.seen) &&
  isTexts(value.waiting) &&
  isObject(value.digests) &&
  Object.values(value.digests).every(isText);

const isVersion = (value: unknown): boolean =>
  isObject(value) &&
  isText(value.version) &&
  isText(value.digest) &&
  (value.created_at === undefined || isTime(value.created_at)) &&
  (value.deprecated === true || isTextOrNone(value.deprecated)) &&
  isSpec(value.spec);

const isSpec = (value: unknown): boolean =>
  isObject(value) &&
  isText(value.name) &&
  value.type === 'function' &&
  isObject(value.parameters) &&
  isTexts(value.tags) &&
  isTextOrNone(value.description) &&
  isTextOrNone(value.handler) &&
  isTextOrNone(value.version) &&
  isTextOrNone(value.category) &&
  isTextOrNone(value.instructions) &&
  isTextOrNone(value.title) &&
  isObjectOrNone(value.annotations) &&
  isObjectOrNone(value._meta) &&
  isObjectsOrNone(value.icons) &&
  isObjectsOrNone(value.input_examples) &&
  isObjectOrNone(value.output_schema) &&
  (value.implementation === undefined || isImplementation(value.implementation)) &&
  (value.permission === undefined || PERMISSIONS.has(value.permission)) &&
  (value.price_micros === undefined || Number.isSafeInteger(value.price_micros)) &&
  (value.timeout_seconds === undefined || typeof value.timeout_seconds === 'number') &&
  (value.cacheable === undefined || typeof value.cacheable === 'boolean') &&
  (value.scenarios === undefined || isTexts(value.scenarios)) &&
  (value.intents === undefined || isTexts(value.intents)) &&
  (value.examples === undefined || isExamples(value.examples)) &&
  (value.capabilities === undefined || isCapabilities(value.capabilities)) &&
  (value.iqa === undefined || isIqa(value.iqa));

const PERMISSIONS: ReadonlySet<unknown> = new Set(['safe', 'confirm', 'dangerous']);

const isImplementation = (value: unknown): boolean =>
  isObject(value) && (value.type === 'mock' || isText(value.handler));

const isCapabilities = (value: unknown): boolean =>
  isTexts(value) || (isObject(value) && Object.values(value).every((flag) => typeof flag === 'boolean'));

const isExamples = (value: unknown): boolean =>
  Array.isArray(value) && value.every((one) => isText(one) || (isObject(one) && isText(one.request)));

const isIqa = (value: unknown): boolean => isObject(value) && isText(value.type) && isTexts(value.strengths);

const isText = (value: unknown): boolean => typeof value === 'string';
const isTextOrNone = (value: unknown): boolean => value === undefined || typeof value === 'string';
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
const isObjectOrNone = (value: unknown): boolean => value === undefined || isObject(value);
const isObjectsOrNone = (value: unknown): boolean =>
  value === undefined || (Array.isArray(value) && value.every(isObject));
const isTime = (value: unknown): boolean => typeof value === 'string' && !Number.isNaN(Date.parse(value));
