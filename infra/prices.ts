/**
 * Prices in US dollars, us-east-1, November 2026, pay as you go and without free tiers. Sources: aws.amazon.com's
 * pricing pages of each service, for CloudFront requests and Lambda@Edge as repeated by third parties. Check them before
 * you rely on them: EventBridge, reads of secrets and data transfer to S3 are not in here.
 */
export const prices = {
  cloudFrontRequest: 1e-6,
  cloudFrontGb: 0.085,
  edgeRequest: 0.6e-6,
  edgeGbSecond: 0.00005001,
  /** AWS WAF by request; its rules cost by the month. */
  firewallRequest: 0.6e-6,
  firewallMonth: 5,
  firewallRuleMonth: 1,
  /** CloudWatch: lines taken in, alarms and metrics by the month. */
  logGb: 0.5,
  alarmMonth: 0.1,
  metricMonth: 0.3,
  /** X-Ray, a trace that is kept. */
  trace: 5e-6,
  secretMonth: 0.4,
  /** KMS: a key, and what seals or opens a credential of a source. */
  keyMonth: 1,
  keyRequest: 0.03e-4,
  lambdaRequest: 0.2e-6,
  lambdaX86GbSecond: 0.0000166667,
  lambdaArmGbSecond: 0.0000133334,
  writeUnit: 0.625e-6,
  readUnit: 0.125e-6,
  s3Put: 0.005e-3,
  s3Get: 0.0004e-3,
  s3GbMonth: 0.023,
  expressRequest: 1e-6,
  expressGbSecond: 0.00001667,
  standardTransition: 25e-6,
  /** g5.xlarge on demand; Spot is usually far below, and is read when a job starts. */
  gpuHour: 1.006,
} as const;
