public enum NIMSDKPlaceholder {}
