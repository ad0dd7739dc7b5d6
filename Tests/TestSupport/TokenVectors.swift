/// Tokens for tests. Unless a comment states another source, they were built with Python from the published algorithms
/// (AgoraIO/Tools, zegoim/zego_server_assistant, the samples of Easemob and NetEase, tencentyun/tls-sig-api-v2). The
/// same code reproduces the published tokens of Agora. The tokens were issued at 1700000000 (14 November 2023) for the
/// user "alice".
public enum TokenVectors {
    /// The certificate with which the tokens of Agora are signed.
    public static let agoraCertificate = "5CFd2fd1755d40ecb72977518be15d3b"
    /// The app id in the tokens of Agora.
    public static let agoraApp = "970CA35de60c44645bbae8a215061b33"
    public static let zegoSecret = "0123456789abcdef0123456789abcdef"
    public static let userSigKey = "5bd2850fff3ecb11d7c805251c51ee463a25727bddc2385f3fa8bfee1bb93b5e"

    /// Published in AgoraIO/Tools: the test values of ChatTokenBuilder2.
    public static let agora007Chat = """
        007eJxTYNAIsnbS3v/A5t2TC6feR15r+6cq8bqAvfaW+tk/Vzz+p6xTYLA0N3B2NDZNSTUzSDYxMTMxTUpKTLVINDI0NTAzTDI2d\
        v8iwBDBxMDAyADCrEDMCOZzMRhZWBgZmxgamRsDAB+lHrg=
        """
    public static let agora007ChatApp = """
        007eJxTYNDNaz3snC8huEfHWdz6s98qltq4zqy9fl99Uh0FDvy6F6DAYGlu4OxobJqSamaQbGJiZmKalJSYapFoZGhqYGaYZGzs/\
        kWAIYKJgYGRAYRZgZgJzGdgAACt8hhr
        """
    /// A token with every service, and with an unknown service at the end.
    public static let agora007All = """
        007eJxTYMj+PF9O7dlbF9/lM9ylVk0uzvimbeXwepv2JpUdVZP2bStVYLA0N3B2NDZNSTUzSDYxMTMxTUpKTLVINDI0NTAzTDI2Z\
        vgYnCrAx8Dw/8FXVk4GRgYmII5gYgDSOowMDCwMRfn5uawMiTmZyakgKYgkVIAZLABUhqqOBS7Miq6DDbsOduzC//9zoBsAUwdyS\
        yIjQ1IyXCcAOe43hw==
        """
    /// The expiry is an absolute time, but must be a duration.
    public static let agora007Absolute = """
        007eJxTYPDeqH9Wm/3pRr3P0Q4tWxVyv650rZdUVI0r+eJXNeGt5E4FBktzA2dHY9OUVDODZBMTMxPTpKTEVItEI0NTAzPDJGNjh\
        o/BqQL/g1MZGRgYGBmYgJiRIYKJgYGVITEnMzkVAL1BHTM=
        """
    /// Published in AgoraIO/Tools, AccessToken_test.
    public static let agora006 = """
        006970CA35de60c44645bbae8a215061b33IACV0fZUBw+72cVoL9eyGGh3Q6Poi8bgjwVLnyKSJyOXR7dIfRBXoFHlEAABAAAAR\
        /QQAAEAAQCvKDdW
        """
    /// Published in AgoraIO/Tools, RtmTokenBuilder_test.
    public static let agora006RTM = """
        006970CA35de60c44645bbae8a215061b33IAAsR0qgiCxv0vrpRcpkz5BrbfEWCBZ6kvR6t7qG/wJIQob86ogAAAAAEAABAAAAR\
        /QQAAEA6AOvKDdW
        """
    /// The expiry of the privilege is a duration, but must be an absolute time.
    public static let agora006Relative = """
        006970CA35de60c44645bbae8a215061b33IAAVpL+0/DaE/KBEyaGpqtb3yqyIE/uoyqlIFQwohxGid5tRn3JHvI4nEAABAAAAg\
        EJVZQEAAQAQDgAA
        """
    /// Published in AgoraIO/Tools, SignalingToken_Test. The app id and the certificate are in lower case.
    public static let agoraSignaling = """
        1:970ca35de60c44645bbae8a215061b33:1446455471:4815d52c4fd440bac35b981c12798774
        """
    public static let zego04 = """
        04AAAAAGVT/xAAEDAxMjM0NTY3ODlhYmNkZWYAcNwR7j4AKvPz1yXCdsPGhXpfb+3KfElaWF+U8hboEjs50c4QmF/MFH7LMNo3vv\
        dqNFt7MHEvP8yvKRpGX3ys0nHAypbH4XH5G3Dr1FlM0LEMVk5EvKynpVUcGUEsjMkFEi5qWFquBREdSKEABlHULEo=
        """
    public static let zego04GCM = """
        04AAAAAGVT/xAADDAxMjM0NTY3ODlhYgB24ouGSjOV8X/XPxKPgDBJEXW+7f876h8YQf2QcK3ao4tLEw4al9AJ5w6BEQKuq1Hzi0\
        C+y9Z4FEFR5cN/PEkkqVCWPlzFuPyWguUtv3MjPFStmHf9be5l+TszlOa2EnuoGz9wGVBXDRPhErIokkN/y6RhykNjYQE=
        """
    public static let zego04Room = """
        04AAAAAGVT/xAAEDAxMjM0NTY3ODlhYmNkZWYA0NwR7j4AKvPz1yXCdsPGhXpfb+3KfElaWF+U8hboEjs50c4QmF/MFH7LMNo3vv\
        dqNFt7MHEvP8yvKRpGX3ys0nHAypbH4XH5G3Dr1FlM0LEMVk5EvKynpVUcGUEsjMkFEmVzsOLPACRujQXb+bDSkMWF2Fo/wZZx/d\
        2Gr7e3BArkafecp0Mk0S5U6qeP+YgBHvQt19WzDYuo+xR2Hes9TiBi5JX46HUeqo94aV1+7EyQPAgEfs81LFWycT4eGFi16WozP6\
        A4bxhnISOQ6lF2dkc=
        """
    public static let zego04Milliseconds = """
        04AAABi9AcVoAAEDAxMjM0NTY3ODlhYmNkZWYAcNwR7j4AKvPz1yXCdsPGhXpfb+3KfElaWF+U8hboEjs50c4QmF/MFH7LMNo3vv\
        dqNFt7MHEvP8yvKRpGX3ys0nHadI2QVlhD8O1Axml53LkE0VVcBlcLD/OmrL1UdJ+voh1KPNKLTP1dMhVtMs6bpfA=
        """
    /// The expiry outside the encrypted part was changed.
    public static let zego04Changed = """
        04AAAAAGtJ0gAAEDAxMjM0NTY3ODlhYmNkZWYAcNwR7j4AKvPz1yXCdsPGhXpfb+3KfElaWF+U8hboEjs50c4QmF/MFH7LMNo3vv\
        dqNFt7MHEvP8yvKRpGX3ys0nHAypbH4XH5G3Dr1FlM0LEMVk5EvKynpVUcGUEsjMkFEi5qWFquBREdSKEABlHULEo=
        """
    public static let zego03 = """
        03AAAAAGVT/xAAEDAxMjM0NTY3ODlhYmNkZWYAkNwR7j4AKvPz1yXCdsPGhXqipiuFQgYkMp46RbnInHb/PYDhTp722kN+WYbsZv\
        12/BWTCgav71b83s38LLr5EAZPYHp0CILPEDmK4O+PwayF8OM3DbIeb34MESxMgy3y75+XQ67w0esr+sDnZyXmYceCVeup0C7pWk\
        VBKx2d4WBDA4GAL5q2OGGprMhfrOOHtw==
        """
    /// Published in Easemob's documentation of 2014; 44 bytes.
    public static let easemobOld = "YWMtWY779DgJEeS2h9OR7fw4QgAAAUmO4Qukwd9cfJSpkWHiOa7MCSk0MrkVIco"
    /// Published in Easemob's documentation: an app token of 94 bytes.
    public static let easemobApp = """
        YWMte3bGuOukEeiTkNP4grL7iwAAAAAAAAAAAAAAAAAAAAGL4CTw6XgR6LaXXVmNX4QCAgMAAAFnKdc-\
        ZgBPGgBFTrLhhyK8woMEI005emtrLJFJV6aoxsZSioSIZkr5kw
        """
    public static let easemobUser = """
        YWMte3bGuOukEeiTkNP4grL7i4vgJPDpeBHotpddWY1fhAK0XL2Q3aER6JezV1EncQCfAwMAAAGLz-\
        VoAAAADhAAAQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHw
        """
    public static let easemobEndless = """
        YWMte3bGuOukEeiTkNP4grL7i4vgJPDpeBHotpddWY1fhAK0XL2Q3aER6JezV1EncQCfAwMAAAGLz-\
        VoAAAAAAAAAQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHw
        """
    public static let easemobDynamic = """
        ZHQteyJzaWduYXR1cmUiOiJlYjEzNGMxNmY5MTZkNTJjYWU1N2I3MmE0ZmRjOWQ5MGJmNDIzOWUyMWM1MDNkNTA2MDUzMTg1ODFh\
        MWRkM2IzIiwiYXBwa2V5Ijoib3JnI2FwcCIsInVzZXJJZCI6ImFsaWNlIiwiY3VyVGltZSI6MTcwMDAwMDAwMCwidHRsIjo2MDB9
        """
    public static let easemobDynamicMilliseconds = """
        ZHQteyJzaWduYXR1cmUiOiIwZTkwOTRiNzEzOTVlYTNjYmQxZWRhNTUxZjdiMmU4NmViNjRlOGY2OTI5MzFlYzI1ZGZiMTNlNmMx\
        MWM1ZjljIiwiYXBwa2V5Ijoib3JnI2FwcCIsInVzZXJJZCI6ImFsaWNlIiwiY3VyVGltZSI6MTcwMDAwMDAwMDAwMCwidHRsIjo2\
        MDB9
        """
    public static let nimDynamic = """
        eyJzaWduYXR1cmUiOiIwZjg5NGRjM2ZlN2Y5OWU2Y2U3ZTQzNDgxNDhhOTVjNTUyYjU2NjNmIiwiY3VyVGltZSI6MTcwMDAwMDAw\
        MDAwMCwidHRsIjo2MDB9
        """
    public static let nimDynamicSeconds = """
        eyJzaWduYXR1cmUiOiJlMTNjZmU2NWRjMzQ5ZjExMGYyOWQ0NzZjNDY0YTM5OTg1OWFlZGJhIiwiY3VyVGltZSI6MTcwMDAwMDAw\
        MCwidHRsIjo2MDB9
        """
    /// Published in RFC 7515, appendix A.1.
    public static let jwtRFC7515 = """
        eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9\
        leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk
        """
    public static let jwtEndless = """
        eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJhbGljZSIsImlhdCI6MTcwMDAwMDAwMH0.Y5OdT1BRGG1biKk_Sg7\
        lpbGPhg5ic38LLcsaQPBTCJ0
        """
    public static let jwtFirebase = """
        eyJhbGciOiJIUzUxMiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJpIiwiYXVkIjpbImEiLCJiIl0sInVpZCI6ImFsaWNlIiwic3ViIjo\
        icyIsImlhdCI6MTcwMDAwMDAwMCwiZXhwIjoxNzAwMDAzNjAwfQ.ByMC259wa2FzkokFah08SPOzXd-\
        g_4inAng6divx2JOEVnSF2t_YhdnHrurSL36IpXUCB6i1bZHZIyySZn5nTA
        """
    public static let jwtMilliseconds = """
        eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJhbGljZSIsImV4cCI6MTcwMDAwMzYwMDAwMH0.cQ4DyNE1sCbB9Iq\
        XAh1NrAko50vvKWvQPZlIph5xugk
        """
    public static let jwtNone = "eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.eyJzdWIiOiJhbGljZSJ9."
    public static let jwtWilddog = """
        eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJ2IjoxLCJkIjp7InVpZCI6ImFsaWNlIn0sImlhdCI6MTcwMDAwMDAwMH0.Smo\
        p26V7gZSRXmH8iU3dSsqjUSw-OSiFd9K20nTztLs
        """
    /// Signed with the key in the example of tencentyun/tls-sig-api-v2-python.
    public static let userSig = """
        eJyrVgrxCdYrSy1SslJQMtIzUNJRAItkpqTmlWSmZUIkKjIT87NK82CSxSnZiQUFmSlAKUMTAyiAyqVWFGQWpYJkTE1NjRDiJZm5\
        YFFzNPXFmekgG3zKHM1T9D3LzdODi-OKs8vCqpxcAvydnV2SSv2cy03cPcpDnA2SMgu0nUxslWoBHdYzUg__
        """
    public static let userSigBuffer = """
        eJyrVgrxCdYrSy1SslJQMtIzUNJRAItkpqTmlWSmZUIkKjIT87NK82CSxSnZiQUFmSlAKUMTAyiAyqVWFGQWpYJkTE1NjRDiJZm5\
        YFFzNPWlxalFSaVpIFscHV2d4VZkpoOEjCM8A5NS-QP0TdPMAg1NfIKdkj3TtbMdjUsKMkJTIlNdjDKCi-O8owzcXW2VagG5njju
        """
    /// The expiry is an absolute time, but must be a duration.
    public static let userSigAbsolute = """
        eJyrVgrxCdYrSy1SslJQMtIzUNJRAItkpqTmlWSmZUIkKjIT87NK82CSxSnZiQUFmSlAKUMTAyiAyqVWFGQWpYJkzEGixmZwmZLM\
        XIQ4ko7izHSQHZmpJrnhbm6hrkUm*X5evpnBUZWlVYVOVZFVbiHFufkWxS6WZfrJjnlRRp62SrUAgug0hA__
        """

    /// All tokens.
    public static let all = [
        agora007Chat, agora007ChatApp, agora007All, agora007Absolute, agora006, agora006RTM, agora006Relative,
        agoraSignaling, zego04, zego04GCM, zego04Room, zego04Milliseconds, zego04Changed, zego03, easemobOld,
        easemobApp, easemobUser, easemobEndless, easemobDynamic, easemobDynamicMilliseconds, nimDynamic,
        nimDynamicSeconds, jwtRFC7515, jwtEndless, jwtFirebase, jwtMilliseconds, jwtNone, jwtWilddog, userSig,
        userSigBuffer, userSigAbsolute,
    ]
}
