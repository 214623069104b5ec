//! Makes hosts join a multicast group, by requests to OpenSM as a client of ibsim. The stock diagnostics can do this
//! for one host only.

use super::ibsim::Ibsim;
use dmodc_fabric::{Guid, Lid};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(20);

/// ibsim's `struct sim_ctl`: magic, client, type, length, and room for data.
const MAGIC: u32 = 0xdead_beef;
const CONTROL: usize = 16 + 64;
const CONNECT: u32 = 1;
const DISCONNECT: u32 = 2;

/// ibsim's `struct sim_request`: destination and source (LID and QP), status, length, and the MAD.
const REQUEST: usize = 32 + 256;

/// The group that OpenSM makes for IPoIB in the default partition, of MLID 0xC000.
const BROADCAST: [u8; 16] = [
    0xff, 0x12, 0x40, 0x1b, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff,
];

/// Makes these ports members of the broadcast group, by requests to the OpenSM at the LID `sm`.
pub fn broadcast(sim: &Ibsim, sm: Lid, ports: &[Guid]) {
    let name = sim.dir().file_name().expect("a folder of its own");
    let name = name.to_str().expect("the name is plain text");
    // A socket name of ibsim ends with a zero byte.
    let address = |end: &str| {
        let name = format!("{name}:{end}\0");
        SocketAddr::from_abstract_name(name).expect("a short name")
    };
    let id = std::process::id();
    let socket = |end: &str| {
        let socket = UnixDatagram::bind_addr(&address(&format!("{end}{id}")));
        let socket = socket.expect("a name of its own");
        let limited = socket.set_read_timeout(Some(LIMIT));
        limited.expect("a time is set");
        socket
    };
    let (control, data) = (socket("ctl"), socket("in"));
    control.connect_addr(&address("ctl")).expect("ibsim runs");
    let ask = |client: u32, kind: u32, argument: u32| -> u32 {
        let mut message = [MAGIC, client, kind, 44, argument]
            .map(u32::to_ne_bytes)
            .concat();
        message.resize(CONTROL, 0);
        control.send(&message).expect("ibsim reads");
        let mut answer = [0; CONTROL];
        let length = control.recv(&mut answer).expect("ibsim answers");
        let word = |at: usize| u32::from_ne_bytes(answer[at..at + 4].try_into().expect("4 bytes"));
        assert_eq!((length, word(8)), (CONTROL, kind), "{answer:?}");
        word(16)
    };
    let client = ask(0, CONNECT, id);
    let out = address(&format!("out{client}"));
    data.connect_addr(&out).expect("a client's socket");
    for (number, port) in (1..).zip(ports) {
        data.send(&request(sm, number, *port)).expect("ibsim reads");
        let mut answer = [0; REQUEST];
        let length = data.recv(&mut answer).expect("an answer in time");
        let mad = &answer[32..];
        // SubnAdmGetResp, with status 0, of this MLID.
        let found = (
            length,
            &answer[16..20],
            mad[3],
            &mad[4..6],
            &mad[56 + 36..56 + 38],
        );
        assert_eq!(
            found,
            (REQUEST, &[0; 4][..], 0x81, &[0; 2][..], &[0xc0, 0][..])
        );
    }
    ask(client, DISCONNECT, 0);
}

/// SubnAdmSet(MCMemberRecord): a full member.
fn request(sm: Lid, number: u64, port: Guid) -> Vec<u8> {
    let lid = u32::from(sm.0.to_be());
    let (qp, length) = (1u32.to_be(), 256u64.to_be());
    let mut bytes = [lid, 0, qp, qp, 0, 0].map(u32::to_ne_bytes).concat();
    bytes.extend(length.to_ne_bytes());
    // Version 1, class SubnAdm of version 2, method Set.
    bytes.extend([1, 3, 2, 2, 0, 0, 0, 0]);
    bytes.extend(number.to_be_bytes());
    bytes.extend([0, 0x38, 0, 0, 0, 0, 0, 0]);
    bytes.resize(32 + 48, 0);
    // The component mask: MGID, PortGID and JoinState.
    bytes.extend(0x1_0003u64.to_be_bytes());
    bytes.extend(BROADCAST);
    bytes.extend(0xfe80_0000_0000_0000u64.to_be_bytes());
    bytes.extend(port.0.to_be_bytes());
    bytes.resize(32 + 104, 0);
    bytes.push(1);
    bytes.resize(REQUEST, 0);
    bytes
}
