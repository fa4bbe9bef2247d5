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

  constructor(
    scope: Construct,
    id: string,
    settings: Pick<StageSettings, 'requestsPerAddress' | 'keylessPerAddress' | 'logDays' | 'issuers' | 'cognito'>,
  ) {
    super(scope, id);
    const acl = new CfnWebACL(this, 'Acl', {
      scope: 'CLOUDFRONT',
      defaultAction: { allow: {} },
      visibilityConfig: visibility('all'),
      customResponseBodies: bodies,
      rules: [
        limited('rate', 0, settings.requestsPerAddress),
        limited('rate-without-key', 1, settings.keylessPerAddress, {
          notStatement: { statement: showsKey(settings) },
        }),
        managed('AWSManagedRulesAmazonIpReputationList', 2),
        managed('AWSManagedRulesCommonRuleSet', 3, commonContentRules),
        managed('AWSManagedRulesKnownBadInputsRuleSet', 4, badInputContentRules),
        {
          name: 'content-outside-the-api',
          priority: 5,
          action: { block: { customResponse: { responseCode: 403, customResponseBodyKey: 'forbidden' } } },
          statement: { andStatement: { statements: [contentWasSuspect, { notStatement: { statement: isApi } }] } },
          visibilityConfig: visibility('content-outside-the-api'),
        },
      ],
    });
    this.arn = acl.attrArn;
    this.keepLog(acl, settings);
  }

  /** Logs only requests that matched a rule, without the caller's keys. */
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
  // A tool may be named x.log or read.ini, and not every agent sends a User-Agent.
  'RestrictedExtensions_URIPATH',
  'GenericLFI_URIPATH',
  'GenericRFI_URIPATH',
  'NoUserAgent_HEADER',
];
const badInputContentRules = [
  'JavaDeserializationRCE_BODY',
  'JavaDeserializationRCE_QUERYSTRING',
  'Log4JRCE_BODY',
  'Log4JRCE_QUERYSTRING',
];

/** Refusals have the API's error format. */
const bodyOf = (code: string, message: string) => ({
  contentType: 'APPLICATION_JSON',
  content: JSON.stringify({ error: { code, message, details: {}, request_id: '' } }),
});
const bodies = {
  limited: bodyOf(
    'RateLimited',
    'too many requests from this address within five minutes; requests with a key have a far higher limit; try again later',
  ),
  forbidden: bodyOf('Forbidden', 'the request looks like an attack on the page; the API is under /v1 and /mcp'),
};

const limited = (
  name: string,
  priority: number,
  limit: number,
  scopeDownStatement?: CfnWebACL.StatementProperty,
): CfnWebACL.RuleProperty => ({
  name,
  priority,
  action: { block: { customResponse: { responseCode: 429, customResponseBodyKey: 'limited' } } },
  statement: {
    rateBasedStatement: { limit, aggregateKeyType: 'IP', scopeDownStatement },
  },
  visibilityConfig: visibility(name),
});

const header = (name: string, searchString: string): CfnWebACL.StatementProperty => ({
  byteMatchStatement: {
    searchString,
    positionalConstraint: 'STARTS_WITH',
    fieldToMatch: { singleHeader: { Name: name } },
    textTransformations: [{ priority: 0, type: 'NONE' }],
  },
});

/** Whether a request has what could be a key; whether it is one the api decides, and slows down who guesses. */
const showsKey = ({
  issuers = [],
  cognito,
}: Pick<StageSettings, 'issuers' | 'cognito'>): CfnWebACL.StatementProperty => {
  // So begins every JSON Web Token, where access tokens are taken.
  const tokens = issuers.length > 0 || cognito ? [header('authorization', 'Bearer eyJ')] : [];
  return {
    orStatement: { statements: [header('authorization', 'Bearer ak_'), header('x-api-key', 'ak_'), ...tokens] },
  };
};

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
