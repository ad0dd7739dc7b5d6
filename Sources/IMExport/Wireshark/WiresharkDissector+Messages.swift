import IMClient
import IMProtocol
import IMServer

extension WiresharkDissector {
    /// The messages of `im/v1/frame.proto` and `imsession/v1/record.proto`. Each message is one line, which lists the
    /// number, the name and the type of each field.
    static let messages = """
        im.v1.AccountCall: 1 application string, 2 user string, 3 credential Credential, 4 list_devices Empty, \
        5 kick string, 6 kick_all Empty
        im.v1.AccountReply: 1 status uint32, 2 devices Device
        im.v1.Answer: 1 status uint32, 2 rows Row
        im.v1.Attributes: 1 channel string, 2 fields Field
        im.v1.ChannelReply: 1 status uint32, 2 channel string, 3 members string
        im.v1.ChannelRequest: 1 channel string
        im.v1.Credential: 1 reference string, 2 secret string, 3 verdict Verdict
        im.v1.Device: 1 id string, 2 platform uint32, 3 name string, 4 os_type uint32, 5 extension string
        im.v1.DevicesChange: 1 change uint32, 2 devices Device
        im.v1.Empty: 
        im.v1.Field: 1 name string, 2 value string
        im.v1.Frame: 1 request uint32, 2 login LoginRequest, 3 login_ack LoginReply, 4 logout LogoutRequest, \
        5 logout_ack StatusReply, 6 heartbeat Empty, 7 heartbeat_ack Empty, 8 kicked KickNotice, \
        9 kicked_ack KickedReply, 10 kick KickRequest, 11 kick_ack StatusReply, 12 sync Empty, \
        13 sync_phase SyncPhase, 14 sync_done Empty, 15 devices_changed DevicesChange, 16 renew_token RenewRequest, \
        17 renew_token_ack RenewReply, 18 token_notice TokenNotice, 19 send Message, 20 send_ack SendReply, \
        21 message Message, 22 message_ack MessageReply, 23 join ChannelRequest, 24 join_ack ChannelReply, \
        25 leave ChannelRequest, 26 leave_ack ChannelReply, 27 member_changed MemberChange, 28 goodbye Goodbye, \
        29 account_call AccountCall, 30 account_call_ack AccountReply, 31 operation Operation, \
        32 operation_ack StatusReply, 33 operated Operation, 34 operated_ack MessageReply, \
        35 set_attributes Attributes, 36 set_attributes_ack StatusReply, 37 ask Question, 38 answer Answer, \
        39 watch Watch, 40 watch_ack StatusReply, 41 presence Presence, 42 tree TreeRequest, 43 tree_ack TreeReply, \
        44 tree_data TreeData, 60 sync_ack SyncReply, 51 settle Settlement, 52 settle_ack SettlementReply, \
        56 resync Empty, 57 resync_ack ResyncReply, 61 fetch_changes FetchChanges, 62 changes Changes, \
        63 change Change, 64 change_ack StatusReply, 65 tree_cancelled TreeCancel, 50 page uint32, 53 more bool, 54 said uint32, \
        55 said_check fixed32
        im.v1.FetchChanges: 1 after uint64
        im.v1.Changes: 1 after uint64, 2 changes Change, 3 last bool
        im.v1.Change: 1 number uint64, 2 kind uint32, 3 fields Field
        im.v1.Goodbye: 1 reason uint32, 2 detail string
        im.v1.KickNotice: 1 reason uint32, 2 epoch uint64, 3 by Device
        im.v1.KickRequest: 1 device string
        im.v1.KickedReply: 1 epoch uint64
        im.v1.LoginReply: 1 status uint32, 2 epoch uint64, 3 server_time_ms int64, 4 other_devices Device, \
        5 expires_at_ms int64, 6 was_gone bool, 25 issued_at_ms int64
        im.v1.LoginRequest: 1 application string, 2 user string, 3 device Device, 4 mode uint32, 5 epoch uint64, \
        6 credential Credential, 20 instance uint64, 66 user_name string
        im.v1.LogoutRequest: 1 keeps_push bool
        im.v1.MemberChange: 1 channel string, 2 user string, 3 joined bool
        im.v1.Message: 1 id string, 2 from string, 3 to string, 4 text string, 5 to_channel bool, 6 to_group bool, \
        30 number uint64
        im.v1.MessageReply: 1 id string, 30 number uint64
        im.v1.Names: 1 names string
        im.v1.Operation: 1 id string, 2 kind uint32, 3 target string, 4 extension string, 5 device string, \
        6 group bool, 30 number uint64
        im.v1.Presence: 1 user string, 2 change uint32
        im.v1.Question: 1 members string, 2 attributes string, 3 channel_attributes string, 4 users Names
        im.v1.RenewReply: 1 status uint32, 2 expires_at_ms int64, 25 issued_at_ms int64
        im.v1.RenewRequest: 1 credential Credential
        im.v1.ResyncReply: 1 other_devices Device
        im.v1.Row: 1 fields Field
        im.v1.SendReply: 1 status uint32, 2 id string
        im.v1.Settlement: 1 channels string, 2 watched string, 3 has_attributes bool, 4 attributes Field
        im.v1.SettlementReply: 1 channels string, 2 watched string
        im.v1.StatusReply: 1 status uint32
        im.v1.SyncItem: 1 id string, 2 text string, 30 number uint64
        im.v1.SyncPhase: 1 phase uint32, 2 count uint32, 3 items SyncItem
        im.v1.SyncReply: 1 phase uint32, 2 first uint64, 3 last uint64
        im.v1.TokenNotice: 1 expired bool, 2 remaining_ms int64
        im.v1.TreeBound: 1 value TreeValue, 2 key string
        im.v1.TreeCancel: 1 listen uint64, 2 status uint32
        im.v1.TreeData: 1 path string, 2 value TreeValue, 3 parts TreePart, 4 listen uint64
        im.v1.TreePart: 1 path string, 2 value TreeValue
        im.v1.TreeQuery: 1 order uint32, 2 child string, 3 start TreeBound, 4 end TreeBound, 5 limit uint32, 6 last bool
        im.v1.TreeReply: 1 status uint32, 2 value TreeValue
        im.v1.TreeRequest: 1 kind uint32, 2 path string, 3 value TreeValue, 4 merges bool, 5 parts TreePart, \
        6 listen uint64, 7 query TreeQuery, 8 has_hash bool, 9 hash fixed64
        im.v1.TreeValue: 1 boolean bool, 2 number double, 3 text string, 4 children Children, \
        5 server_timestamp Empty, 6 priority TreeValue
        im.v1.TreeValue.Child: 1 key string, 2 value TreeValue
        im.v1.TreeValue.Children: 1 children Child
        im.v1.Verdict: 1 finding uint32, 2 user string, 3 expires_at_ms int64, 25 issued_at_ms int64, 26 origin uint32
        im.v1.Watch: 1 user string, 2 on bool
        imsession.v1.AppChange: 1 change uint32, 2 slept_nanoseconds int64, 3 clock_jump_nanoseconds int64
        imsession.v1.ClientCommand: 1 id uint32, 2 login Login, 3 logout_keeping_push bool, 4 renew_token string, \
        5 kick string, 6 query uint32, 7 send Send, 8 join string, 9 leave string, 10 retry_count_max int64, \
        11 retry_delays Delays, 12 json bytes
        imsession.v1.Completion: 1 id uint32, 2 status uint32, 3 rows Row
        imsession.v1.Deadline: 
        imsession.v1.Delays: 1 nanoseconds int64
        imsession.v1.Environment: 1 command string
        imsession.v1.Field: 1 name string, 2 value string
        imsession.v1.Kick: 1 user string, 2 device string
        imsession.v1.LinkEvent: 1 what What, 2 fault uint32
        imsession.v1.LocalData: 1 last_user string, 2 has_last_user bool, 3 credential string, 4 last_epoch uint64, \
        5 last_result uint32, 6 autologin_allowed bool, 7 expires_at_ms int64, 30 received Received, 31 unsent Unsent
        imsession.v1.Unsent: 1 user string, 2 frame bytes
        imsession.v1.DataRequest: 1 generation uint32, 2 open string, 3 call DataCall, 4 apply bytes, 5 close bool, \
        6 tree TreeDataRequest
        imsession.v1.DataCall: 1 number uint32, 2 call uint32, 3 arguments Field, 4 device_clock_ms int64
        imsession.v1.DataAnswer: 1 generation uint32, 2 opened uint64, 3 answered DataResult, 4 failed uint32, \
        5 tree TreeDataAnswer
        imsession.v1.TreeDataRequest: 1 open bool, 2 change TreeChanges, 3 read TreeRead
        imsession.v1.TreeChanges: 1 changes TreeChange
        imsession.v1.TreeChange: 1 track TrackedQuery, 2 forget uint64, 3 put TreePut, 4 amend TreePut, \
        5 hold PendingTreeWrite, 6 release uint64
        imsession.v1.TrackedQuery: 1 number uint64, 2 path string, 3 query bytes, 4 is_complete bool, \
        5 is_active bool, 6 last_use uint64, 7 size uint64, 8 is_current bool, 9 as_of uint64
        imsession.v1.TreePut: 1 number uint64, 2 parts TreePart
        imsession.v1.TreePart: 1 path string, 2 node bytes
        imsession.v1.PendingTreeWrite: 1 id uint64, 2 path string, 3 parts TreePart, 4 is_update bool
        imsession.v1.TreeRead: 1 number uint64, 2 queries uint64
        imsession.v1.TreeDataAnswer: 1 opened TreeContents, 2 read TreeHeld, 3 failed uint32
        imsession.v1.TreeContents: 1 tracked TrackedQuery, 2 writes PendingTreeWrite
        imsession.v1.TreeHeld: 1 number uint64, 2 queries TreePut
        imsession.v1.DataResult: 1 number uint32, 2 status uint32, 3 rows Row, 4 next string
        imsession.v1.LocalItem: 1 user string, 2 kind uint32, 3 id string, 4 text string
        imsession.v1.Login: 1 user string, 2 credential string, 3 mode uint32, 4 expires_at_ms int64, \
        5 device_clock_ms int64, 32 user_name string
        imsession.v1.NetworkChange: 1 change uint32
        imsession.v1.NodeStart: 1 name string, 2 profile string, 3 is_server bool, 4 json bytes
        imsession.v1.Notification: 1 login_step uint32, 2 autologin_failed uint32, 3 frame bytes, 4 json bytes
        imsession.v1.PolicyChange: 1 key string, 2 value string
        imsession.v1.Presence: 1 user string, 2 device string, 3 change uint32
        imsession.v1.Received: 1 user string, 2 json bytes
        imsession.v1.Record: 1 start NodeStart, 2 client_command ClientCommand, 3 server_command ServerCommand, \
        4 completion Completion, 5 link LinkEvent, 6 unreadable Unreadable, 7 deadline Deadline, \
        8 network NetworkChange, 9 app AppChange, 10 persist LocalData, 11 notification Notification, \
        12 transition Transition, 13 presence Presence, 14 environment Environment, 15 keep LocalItem, \
        16 data_request DataRequest, 17 data_answer DataAnswer
        imsession.v1.Row: 1 fields Field
        imsession.v1.Send: 1 to string, 2 text string, 3 to_channel bool
        imsession.v1.ServerCommand: 1 id uint32, 2 add_account string, 3 ban_account string, 4 delete_account string, \
        5 kick Kick, 6 list_devices string, 7 policy PolicyChange, 8 shut_down bool, 9 json bytes
        imsession.v1.Transition: 1 from uint32, 2 to uint32, 3 reason uint32
        imsession.v1.Unreadable: 1 error uint32, 2 field string
        """
}
