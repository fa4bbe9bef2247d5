import { RemovalPolicy } from 'aws-cdk-lib';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { CfnLoggingConfiguration, CfnWebACL } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import type { StageSettings } from '../config.ts';

/**
 * AWS's own rules and a limit for each address. A definition is up to 64 KB and speaks of addresses, paths and
 * markup, as bodies and texts in queries do here: rules about them would refuse honest calls (the size rule anything
 * over 8 KB), so they only count on the API and refuse elsewhere.
 */
export class WebFirewall extends Construct {
  readonly arn: string;

  constructor(scope: Construct, id: string, settings: Pick<StageSettings, 'requestsPerAddress' | 'logDays'>) {
    super(scope, id);
    const acl = new CfnWebACL(this, 'Acl', {
      scope: 'CLOUDFRONT',
      defaultAction: { allow: {} },
      visibilityConfig: visibility('all'),
      rules: [
        {
          name: 'rate',
          priority: 0,
          action: { block: { customResponse: { responseCode: 429 } } },
          statement: { rateBasedStatement: { limit: settings.requestsPerAddress, aggregateKeyType: 'IP' } },
          visibilityConfig: visibility('rate'),
        },
        managed('AWSManagedRulesAmazonIpReputationList', 1),
        managed('AWSManagedRulesCommonRuleSet', 2, commonContentRules),
        managed('AWSManagedRulesKnownBadInputsRuleSet', 3, badInputContentRules),
        {
          name: 'content-outside-the-api',
          priority: 4,
          action: { block: {} },
          statement: { andStatement: { statements: [contentWasSuspect, { notStatement: { statement: isApi } }] } },
          visibilityConfig: visibility('content-outside-the-api'),
        },
      ],
    });
    this.arn = acl.attrArn;
    this.keepLog(acl, settings);
  }

  /** Only what a rule has caught, without the caller's keys. */
  private keepLog(acl: CfnWebACL, { logDays }: Pick<StageSettings, 'logDays'>): void {
    const logs = new LogGroup(this, 'Logs', {
      // WAF insists on this beginning.
      logGroupName: `aws-waf-logs-${acl.stack.stackName}`,
      retention: logDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    new CfnLoggingConfiguration(this, 'Logging', {
      resourceArn: acl.attrArn,
      logDestinationConfigs: [logs.logGroupArn],
      redactedFields: ['authorization', 'x-api-key'].map((Name) => ({ singleHeader: { Name } })),
      loggingFilter: {
        DefaultBehavior: 'DROP',
        Filters: [
          {
            Behavior: 'KEEP',
            Requirement: 'MEETS_ANY',
            Conditions: ['BLOCK', 'COUNT', 'EXCLUDED_AS_COUNT'].map((Action) => ({ ActionCondition: { Action } })),
          },
        ],
      },
    });
  }
}

const commonContentRules = [
  'SizeRestrictions_BODY',
  'CrossSiteScripting_BODY',
  'GenericLFI_BODY',
  'GenericRFI_BODY',
  'EC2MetaDataSSRF_BODY',
  'SizeRestrictions_QUERYSTRING',
  'CrossSiteScripting_QUERYARGUMENTS',
  'GenericLFI_QUERYARGUMENTS',
  'GenericRFI_QUERYARGUMENTS',
  'EC2MetaDataSSRF_QUERYARGUMENTS',
  'RestrictedExtensions_QUERYARGUMENTS',
];
const badInputContentRules = [
  'JavaDeserializationRCE_BODY',
  'JavaDeserializationRCE_QUERYSTRING',
  'Log4JRCE_BODY',
  'Log4JRCE_QUERYSTRING',
];

const visibility = (metricName: string): CfnWebACL.VisibilityConfigProperty => ({
  cloudWatchMetricsEnabled: true,
  sampledRequestsEnabled: true,
  metricName,
});

const managed = (name: string, priority: number, counting: readonly string[] = []): CfnWebACL.RuleProperty => ({
  name,
  priority,
  overrideAction: { none: {} },
  statement: {
    managedRuleGroupStatement: {
      vendorName: 'AWS',
      name,
      ruleActionOverrides: counting.map((rule) => ({ name: rule, actionToUse: { count: {} } })),
    },
  },
  visibilityConfig: visibility(name),
});

/** Rules that count leave a label behind; these are the ends of theirs. */
const contentWasSuspect: CfnWebACL.StatementProperty = {
  orStatement: {
    statements: ['core-rule-set', 'known-bad-inputs'].map((group) => ({
      labelMatchStatement: { scope: 'NAMESPACE', key: `awswaf:managed:aws:${group}:` },
    })),
  },
};

const startsWith = (searchString: string): CfnWebACL.StatementProperty => ({
  byteMatchStatement: {
    searchString,
    positionalConstraint: 'STARTS_WITH',
    fieldToMatch: { uriPath: {} },
    textTransformations: [{ priority: 0, type: 'NONE' }],
  },
});

const isApi: CfnWebACL.StatementProperty = { orStatement: { statements: [startsWith('/v1/'), startsWith('/mcp')] } };
